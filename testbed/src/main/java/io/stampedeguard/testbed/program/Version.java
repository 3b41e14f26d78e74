package io.stampedeguard.testbed.program;

import picocli.CommandLine.IVersionProvider;

/** The version that the build wrote into the jar. */
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Version.class.getPackage().getImplementationVersion();
        return new String[] {"stampede " + (version == null ? "(not packaged)" : version)};
    }
}
