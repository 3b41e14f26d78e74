package io.stampedeguard.redis;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * A new self-signed certificate, as files for the server and as contexts for clients that trust it.
 *
 * @param certificateFile PEM
 * @param keyFile PEM
 * @param trusting trusts this certificate only
 * @param presenting trusts this certificate only, and presents it
 */
public record Certificate(Path certificateFile, Path keyFile, SSLContext trusting, SSLContext presenting) {
    private static final String PASSWORD = "changeit";

    /** Creates one with the JDK's keytool. */
    public static Certificate naming(String alternativeName, Path directory) throws Exception {
        Path store = directory.resolve("store.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "redis",
                        "-keyalg",
                        "RSA",
                        "-keysize",
                        "2048",
                        "-validity",
                        "2",
                        "-dname",
                        "CN=redis",
                        "-ext",
                        "SAN=" + alternativeName,
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!keytool.waitFor(60, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
            throw new AssertionError("keytool failed");
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream bytes = Files.newInputStream(store)) {
            keys.load(bytes, PASSWORD.toCharArray());
        }
        java.security.cert.Certificate certificate = keys.getCertificate("redis");
        byte[] key = keys.getKey("redis", PASSWORD.toCharArray()).getEncoded();
        return new Certificate(
                pem(directory.resolve("redis.crt"), "CERTIFICATE", certificate.getEncoded()),
                pem(directory.resolve("redis.key"), "PRIVATE KEY", key),
                contextTrusting(certificate, null),
                contextTrusting(certificate, keys));
    }

    private static Path pem(Path file, String type, byte[] bytes) throws Exception {
        String base64 = Base64.getMimeEncoder(64, "\n".getBytes()).encodeToString(bytes);
        return Files.writeString(file, "-----BEGIN " + type + "-----\n" + base64 + "\n-----END " + type + "-----\n");
    }

    private static SSLContext contextTrusting(java.security.cert.Certificate certificate, @Nullable KeyStore presented)
            throws Exception {
        KeyManager[] own = null;
        if (presented != null) {
            KeyManagerFactory presenters = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            presenters.init(presented, PASSWORD.toCharArray());
            own = presenters.getKeyManagers();
        }
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("redis", certificate);
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own, managers.getTrustManagers(), null);
        return context;
    }
}
