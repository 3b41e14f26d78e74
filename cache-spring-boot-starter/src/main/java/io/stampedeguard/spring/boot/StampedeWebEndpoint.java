package io.stampedeguard.spring.boot;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** The endpoint over HTTP: what is wrong with a request is in the body, from which Boot leaves out messages. <em>Thread-safe.</em> */
@EndpointWebExtension(endpoint = StampedeEndpoint.class)
record StampedeWebEndpoint(StampedeEndpoint endpoint) {
    @DeleteOperation(produces = StampedeEndpoint.JSON)
    public WebEndpointResponse<Map<String, String>> evict(
            @Selector String cache, @Nullable String key, @Nullable String tag) {
        try {
            endpoint.evict(cache, key, tag);
            return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
        } catch (InvalidEndpointRequestException wrong) {
            return new WebEndpointResponse<>(
                    Map.of("message", String.valueOf(wrong.getReason())), WebEndpointResponse.STATUS_BAD_REQUEST);
        }
    }
}
