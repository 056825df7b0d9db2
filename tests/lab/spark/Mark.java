import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Sends so many bytes over TCP on a socket that is told to mark them, as Java programs do; prints what the socket says
 * that its mark is.
 *
 * <p>Mark ADDRESS PORT DSCP BYTES
 */
public final class Mark {
    private Mark() {}

    public static void main(String[] arguments) throws Exception {
        try (SocketChannel socket = SocketChannel.open()) {
            socket.setOption(StandardSocketOptions.IP_TOS, Integer.parseInt(arguments[2]) << 2);
            socket.connect(new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1])));
            ByteBuffer bytes = ByteBuffer.allocate(Integer.parseInt(arguments[3]));
            while (bytes.hasRemaining()) {
                socket.write(bytes);
            }
            System.out.println(socket.getOption(StandardSocketOptions.IP_TOS) >> 2);
        }
    }
}
