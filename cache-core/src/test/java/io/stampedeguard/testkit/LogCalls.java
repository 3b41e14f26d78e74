package io.stampedeguard.testkit;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.TypeMirror;
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * The calls of loggers in source files, as the compiler sees them: with constants folded, and the types of the arguments. SLF4J
 * takes a last argument that is an exception for the stack trace, and so leaves its placeholder unfilled. Only one class gives it any.
 */
public final class LogCalls {
    private static final String LOGGER = "org.slf4j.Logger";
    /** Whose methods survive what exceptions of user code do when they are logged. */
    private static final String GUARD = "CallbackLog.java";

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{}");

    private static final Pattern CALL = Pattern.compile("\\b(LOG|log)\\s*\\.\\s*(error|warn|info|debug|trace)\\(");

    private final List<String> messages = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();

    private LogCalls() {}

    /** Returns the calls in all source files below a folder. */
    public static LogCalls below(Path sources) throws IOException {
        try (Stream<Path> files = Files.walk(sources)) {
            return in(files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.endsWith("module-info.java"))
                    .map(Source::of)
                    .toList());
        }
    }

    /** Returns the number of calls below a folder as a search of the text finds them, without a compiler. */
    public static int countByText(Path sources) throws IOException {
        try (Stream<Path> files = Files.walk(sources)) {
            int calls = 0;
            for (Path source :
                    files.filter(file -> file.toString().endsWith(".java")).toList()) {
                calls += (int) CALL.matcher(Files.readString(source)).results().count();
            }
            return calls;
        }
    }

    /** Returns the calls in the text of one source file. */
    public static LogCalls in(String name, String text) throws IOException {
        return in(List.of(new Source(URI.create("string:///" + name + ".java"), text)));
    }

    /** Returns the messages, where the compiler knows them. */
    public List<String> messages() {
        return messages;
    }

    /** Returns a sentence for each call whose placeholders do not match its arguments. */
    public List<String> faults() {
        return faults;
    }

    private static LogCalls in(List<Source> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        LogCalls calls = new LogCalls();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
            List<String> options = List.of("-proc:none", "-Xlint:none", "-classpath", classPath);
            JavacTask task = (JavacTask) compiler.getTask(null, files, null, options, null, sources);
            var units = task.parse();
            task.analyze();
            Trees trees = Trees.instance(task);
            units.forEach(unit -> calls.new Scanner(task, trees).scan(unit, null));
        }
        return calls;
    }

    /** The text of a source file. */
    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(URI uri, String text) {
            super(uri, Kind.SOURCE);
            this.text = text;
        }

        static Source of(Path file) {
            try {
                return new Source(file.toUri(), Files.readString(file));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Visits the calls of one file. */
    private final class Scanner extends TreePathScanner<@Nullable Void, @Nullable Void> {
        private final JavacTask task;
        private final Trees trees;

        Scanner(JavacTask task, Trees trees) {
            this.task = task;
            this.trees = trees;
        }

        @Override
        public @Nullable Void visitMethodInvocation(MethodInvocationTree call, @Nullable Void nothing) {
            Element method = trees.getElement(getCurrentPath());
            if (method != null
                    && method.getEnclosingElement() instanceof TypeElement type
                    && type.getQualifiedName().contentEquals(LOGGER)
                    && !call.getArguments().isEmpty()) {
                check(call);
            }
            return super.visitMethodInvocation(call, nothing);
        }

        private void check(MethodInvocationTree call) {
            List<? extends ExpressionTree> arguments = call.getArguments();
            Object message = constant(arguments.get(0));
            int given = arguments.size() - 1;
            if (given > 0 && isException(arguments.get(given))) {
                given--;
                if (!getCurrentPath()
                        .getCompilationUnit()
                        .getSourceFile()
                        .getName()
                        .endsWith(GUARD)) {
                    faults.add("an exception that is not logged by " + GUARD + ": " + call);
                }
            }
            if (given == 0 && isParameter(arguments.get(0))) { // a helper, whose callers have nothing to fill in
                messages.add("");
                return;
            }
            if (!(message instanceof String text)) {
                faults.add("the message is not a constant: " + call);
                return;
            }
            messages.add(text);
            long placeholders = PLACEHOLDER.matcher(text).results().count();
            if (placeholders != given) {
                faults.add(placeholders + " placeholders, but " + given + " arguments for them: " + call);
            }
        }

        private @Nullable Object constant(ExpressionTree tree) {
            if (tree instanceof LiteralTree literal) {
                return literal.getValue();
            }
            if (tree instanceof ParenthesizedTree inner) {
                return constant(inner.getExpression());
            }
            if (tree instanceof BinaryTree both && both.getKind() == Tree.Kind.PLUS) {
                Object left = constant(both.getLeftOperand());
                Object right = constant(both.getRightOperand());
                return left == null || right == null ? null : left.toString() + right;
            }
            Element named = trees.getElement(new TreePath(getCurrentPath(), tree));
            return named instanceof VariableElement variable ? variable.getConstantValue() : null;
        }

        private boolean isParameter(ExpressionTree argument) {
            Element named = trees.getElement(new TreePath(getCurrentPath(), argument));
            return named != null && named.getKind() == ElementKind.PARAMETER;
        }

        private boolean isException(ExpressionTree argument) {
            TypeMirror type = trees.getTypeMirror(new TreePath(getCurrentPath(), argument));
            TypeMirror throwable =
                    task.getElements().getTypeElement("java.lang.Throwable").asType();
            return type != null && task.getTypes().isSubtype(type, throwable);
        }
    }
}
