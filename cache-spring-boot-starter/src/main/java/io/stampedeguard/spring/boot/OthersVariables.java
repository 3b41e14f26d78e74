package io.stampedeguard.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.convert.ConverterNotFoundException;

/**
 * Ignores variables of the environment, and system properties, that have a text where {@link StampedeProperties} has a group of
 * properties: they are not meant for it, as {@code STAMPEDE_REDIS} of the operator commands, or {@code STAMPEDE_CACHES_PORT} of a
 * Kubernetes service. Boot's check for unknown properties excludes the same two sources.
 */
final class OthersVariables extends AbstractBindHandler {
    private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of("stampede");

    private final UnboundElementsSourceFilter ofTheApplication = new UnboundElementsSourceFilter();

    OthersVariables(BindHandler parent) {
        super(parent);
    }

    @Override
    public @Nullable Object onFailure(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) throws Exception {
        return error instanceof ConverterNotFoundException && OURS.isAncestorOf(name) && isOfOthers(name, context)
                ? null // as if it was not set
                : super.onFailure(name, target, context, error);
    }

    private boolean isOfOthers(ConfigurationPropertyName name, BindContext context) {
        for (ConfigurationPropertySource source : context.getSources()) {
            if (source.getConfigurationProperty(name) != null) {
                return !ofTheApplication.apply(source);
            }
        }
        return false;
    }
}
