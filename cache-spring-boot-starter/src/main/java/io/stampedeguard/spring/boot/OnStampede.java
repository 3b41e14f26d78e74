package io.stampedeguard.spring.boot;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.cache.CacheManager;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.StringUtils;

/**
 * Matches unless the application decides otherwise, in one of three ways. The log says in which: otherwise, nobody would notice
 * that the methods are not guarded.
 */
final class OnStampede extends SpringBootCondition implements ConfigurationCondition {
    private static final Logger LOG = LoggerFactory.getLogger(StampedeAutoConfiguration.class);

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConditionMessage.Builder message = ConditionMessage.forCondition("Stampede");
        String reason = reason(context);
        if (reason != null) {
            LOG.info("No guarded caches are configured, because {}", reason);
            return ConditionOutcome.noMatch(message.because(reason));
        }
        return ConditionOutcome.match(message.because("nothing else is configured"));
    }

    private static @Nullable String reason(ConditionContext context) {
        Environment environment = context.getEnvironment();
        if (!environment.getProperty("stampede.enabled", Boolean.class, true)) {
            return "stampede.enabled is false";
        }
        String type = environment.getProperty("spring.cache.type");
        if (StringUtils.hasText(type)) {
            return "spring.cache.type is " + type;
        }
        ConfigurableListableBeanFactory beans = context.getBeanFactory();
        String[] managers = beans == null
                ? new String[0]
                : BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, CacheManager.class, true, false);
        return managers.length == 0 ? null : "there is a CacheManager already: the bean " + String.join(", ", managers);
    }
}
