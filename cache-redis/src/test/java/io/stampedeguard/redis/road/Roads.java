package io.stampedeguard.redis.road;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.IncompatibleThreadStateException;
import com.sun.jdi.Method;
import com.sun.jdi.StackFrame;
import com.sun.jdi.StringReference;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Follows a program as a debugger does: see {@link RoadTraveller}. */
final class Roads {
    private static final String OWN = "io.stampedeguard.";
    private static final Set<String> MARKS = Set.of("begin", "end", "load", "loadAll");

    private final VirtualMachine vm;
    private final Class<?> program;
    private final Map<String, Road> roads = new LinkedHashMap<>();
    private Road current = new Road();
    private String name = "";
    private @Nullable MethodEntryRequest library;

    private Roads(VirtualMachine vm, Class<?> program) {
        this.vm = vm;
        this.program = program;
    }

    /** Runs a program to its end, and returns the shortest road of each call by its name. */
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
        ClassPrepareRequest loaded = vm.eventRequestManager().createClassPrepareRequest();
        loaded.addClassFilter(program.getName());
        loaded.enable();
        while (true) {
            EventSet events = vm.eventQueue().remove();
            for (Event event : events) {
                if (event instanceof VMDisconnectEvent) {
                    return roads;
                } else if (event instanceof ClassPrepareEvent prepared) {
                    prepared.referenceType().methods().forEach(this::stopAt);
                } else if (event instanceof BreakpointEvent stop) {
                    stoppedAt(stop.location().method().name(), stop.thread());
                } else if (event instanceof MethodEntryEvent entry) {
                    current.entered(entry.method().declaringType().name());
                }
            }
            events.resume();
        }
    }

    private void stopAt(Method method) {
        if (MARKS.contains(method.name())) {
            BreakpointRequest stop = vm.eventRequestManager().createBreakpointRequest(method.location());
            stop.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
            stop.enable();
        }
    }

    private void stoppedAt(String mark, ThreadReference thread) throws Exception {
        switch (mark) {
            case "begin" ->
                begin(((StringReference) thread.frame(0).getArgumentValues().get(0)).value(), thread);
            case "end" -> end();
            default -> current.reachedLoader(ownFrames(thread));
        }
    }

    private void begin(String call, ThreadReference thread) {
        name = call;
        current = new Road();
        library = vm.eventRequestManager().createMethodEntryRequest();
        library.addClassFilter(OWN + "*");
        library.addClassExclusionFilter(program.getName() + "*");
        library.addThreadFilter(thread);
        library.setSuspendPolicy(EventRequest.SUSPEND_NONE);
        library.enable();
    }

    private void end() {
        vm.eventRequestManager().deleteEventRequest(library);
        roads.merge(name, current, Road::shorter);
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
