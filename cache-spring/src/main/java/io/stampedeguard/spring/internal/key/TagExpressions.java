package io.stampedeguard.spring.internal.key;

import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.spring.CacheTags;
import io.stampedeguard.spring.StampedeTag;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.Expression;
import org.springframework.expression.ExpressionException;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;

/** The expressions of the {@link CacheTags} of one method. <em>Thread-safe.</em> */
public final class TagExpressions {
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final Method method;
    private final Class<?> targetClass;
    private final List<Expression> expressions;
    private final @Nullable BeanFactoryResolver beans;

    private TagExpressions(
            Method method, Class<?> targetClass, List<Expression> expressions, @Nullable BeanFactory beans) {
        this.method = method;
        this.targetClass = targetClass;
        this.expressions = expressions;
        this.beans = beans == null ? null : new BeanFactoryResolver(beans);
    }

    /** What expressions see as {@code #root}: the same as in those of Spring's annotations, except for the caches. */
    public record Root(Method method, @Nullable Object[] args, Object target, Class<?> targetClass) {
        public Method getMethod() {
            return method;
        }

        public String getMethodName() {
            return method.getName();
        }

        public @Nullable Object[] getArgs() {
            return args;
        }

        public Object getTarget() {
            return target;
        }

        public Class<?> getTargetClass() {
            return targetClass;
        }
    }

    /**
     * Returns the expressions of a method, also if the annotation is at the method of its interface; {@code null} if there are none.
     *
     * @param targetClass the class of the bean; a generated subclass of it stands for it
     * @param beans where expressions find beans, if they may use any
     * @throws IllegalStateException if an expression cannot be parsed; the message names method and expression
     */
    public static @Nullable TagExpressions of(Method method, Class<?> targetClass, @Nullable BeanFactory beans) {
        Class<?> userClass = ClassUtils.getUserClass(targetClass);
        Method specific = AopUtils.getMostSpecificMethod(method, userClass);
        CacheTags tags = AnnotatedElementUtils.findMergedAnnotation(specific, CacheTags.class);
        if (tags == null) {
            tags = AnnotatedElementUtils.findMergedAnnotation(method, CacheTags.class);
        }
        if (tags == null) {
            return null;
        }
        SpelExpressionParser parser = new SpelExpressionParser();
        List<Expression> parsed = new ArrayList<>();
        for (String each : tags.value()) {
            try {
                parsed.add(parser.parseExpression(each));
            } catch (ExpressionException e) {
                throw failure(specific, each, e);
            }
        }
        return new TagExpressions(specific, userClass, parsed, beans);
    }

    /**
     * Returns the tags of a result, each once.
     *
     * @param target the bean
     * @param args the arguments of the call
     * @param result what {@code unless} sees; if it is {@code null}, expressions that fail give no tag
     * @throws IllegalStateException if an expression fails; the message names method and expression
     * @throws IllegalArgumentException if there are more tags than a value can have, or one is empty or too long; the message names the
     *     method and the tag
     */
    public String[] tags(Object target, @Nullable Object[] args, @Nullable Object result) {
        MethodBasedEvaluationContext context =
                new MethodBasedEvaluationContext(new Root(method, args, target, targetClass), method, args, NAMES);
        context.setVariable("result", result);
        if (beans != null) {
            context.setBeanResolver(beans);
        }
        List<String> tags = new ArrayList<>();
        for (Expression each : expressions) {
            try {
                addTo(tags, each.getValue(context));
            } catch (ExpressionException e) {
                if (result != null) {
                    throw failure(method, each.getExpressionString(), e);
                }
            }
        }
        try {
            return LoadedValue.absent().tags(tags.toArray(String[]::new)).tags().toArray(String[]::new);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("@CacheTags of " + name(method) + ": " + e.getMessage(), e);
        }
    }

    private static void addTo(List<String> tags, @Nullable Object found) {
        if (found instanceof Iterable<?> several) {
            several.forEach(each -> addTo(tags, each));
        } else if (found != null && found.getClass().isArray()) {
            Arrays.asList(ObjectUtils.toObjectArray(found)).forEach(each -> addTo(tags, each));
        } else if (found instanceof Stream<?> several) {
            several.forEach(each -> addTo(tags, each));
        } else if (found != null) {
            tags.add(found instanceof StampedeTag tag ? tag.name() : found.toString());
        }
    }

    private static IllegalStateException failure(Method method, String expression, ExpressionException cause) {
        return new IllegalStateException(
                "@CacheTags of " + name(method) + ": \"" + expression + "\" has failed: " + cause.getMessage(), cause);
    }

    private static String name(Method method) {
        return ClassUtils.getUserClass(method.getDeclaringClass()).getSimpleName() + "." + method.getName();
    }
}
