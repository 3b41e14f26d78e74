package io.stampedeguard.redis.road;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.IncompatibleThreadStateException;
import com.sun.jdi.StackFrame;
import com.sun.jdi.StringReference;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Follows a program as a debugger does: see {@link RoadTraveller}. */
final class Roads {
    private static final String OWN = "io.stampedeguard.";

    private final VirtualMachine vm;
    private final Class<?> program;
    private final Map<String, Road> roads = new LinkedHashMap<>();
    private Road current = new Road();
    private @Nullable MethodEntryRequest library;

    private Roads(VirtualMachine vm, Class<?> program) {
        this.vm = vm;
        this.program = program;
    }

    /** Runs a program to its end, and returns the roads of its calls by their names. */
    static Map<String, Road> of(Class<?> program, String argument) throws Exception {
        LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        arguments.get("main").setValue(program.getName() + " " + argument);
        arguments.get("options").setValue("-cp \"" + System.getProperty("java.class.path") + "\"");
        VirtualMachine vm = connector.launch(arguments);
        vm.process().getOutputStream().close();
        Thread output = new Thread(() -> copy(vm.process().getInputStream()), "road-output");
        Thread errors = new Thread(() -> copy(vm.process().getErrorStream()), "road-errors");
        output.start();
        errors.start();
        try {
            return new Roads(vm, program).follow();
        } finally {
            vm.process().destroyForcibly();
            output.join();
            errors.join();
        }
    }

    private static void copy(InputStream from) {
        try (from) {
            from.transferTo(System.out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Map<String, Road> follow() throws Exception {
        MethodEntryRequest marks = vm.eventRequestManager().createMethodEntryRequest();
        marks.addClassFilter(program.getName());
        marks.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
        marks.enable();
        while (true) {
            EventSet events = vm.eventQueue().remove();
            for (Event event : events) {
                if (event instanceof VMDisconnectEvent) {
                    return roads;
                }
                if (event instanceof MethodEntryEvent entry) {
                    enter(entry, marks);
                }
            }
            events.resume();
        }
    }

    private void enter(MethodEntryEvent entry, MethodEntryRequest marks) throws Exception {
        String method = entry.method().name();
        if (!entry.request().equals(marks)) {
            current.entered(file(entry.method().declaringType().name()));
        } else if (method.equals("begin")) {
            current = new Road();
            roads.put(
                    ((StringReference)
                                    entry.thread().frame(0).getArgumentValues().get(0))
                            .value(),
                    current);
            library = vm.eventRequestManager().createMethodEntryRequest();
            library.addClassFilter(OWN + "*");
            library.addClassExclusionFilter(program.getName() + "*");
            library.addThreadFilter(entry.thread());
            library.setSuspendPolicy(EventRequest.SUSPEND_NONE);
            library.enable();
        } else if (method.startsWith("load") && current.loaderDepth() == 0) {
            current.reachedLoader(ownFrames(entry.thread()));
        } else if (method.equals("end") && library != null) {
            vm.eventRequestManager().deleteEventRequest(library);
            library = null;
        }
    }

    /** Returns the simple name of the outermost class. */
    private static String file(String type) {
        return type.substring(type.lastIndexOf('.') + 1).replaceFirst("[$/].*", "");
    }

    /** Returns the number of frames of the library. */
    private int ownFrames(ThreadReference thread) throws IncompatibleThreadStateException {
        List<StackFrame> frames = thread.frames();
        return (int) frames.stream()
                .map(frame -> frame.location().declaringType().name())
                .filter(type -> type.startsWith(OWN) && !type.startsWith(program.getName()))
                .count();
    }
}
