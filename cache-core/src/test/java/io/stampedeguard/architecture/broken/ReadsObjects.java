package io.stampedeguard.architecture.broken;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;

/** Java serialization, there and back. */
public final class ReadsObjects implements Serializable {
    Object read(ObjectInputStream in) throws Exception {
        return in.readObject();
    }

    void write(ObjectOutputStream out) throws IOException {
        out.writeObject(this);
    }
}
