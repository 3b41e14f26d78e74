package io.stampedeguard.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes why an application did not start, and what to change. */
final class StampedeFailureAnalyzer extends AbstractFailureAnalyzer<StampedeConfigurationException> {
    @Override
    protected FailureAnalysis analyze(Throwable failure, StampedeConfigurationException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.remedy(), cause);
    }
}
