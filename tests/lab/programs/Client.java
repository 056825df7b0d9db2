import java.io.InputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Requests a page five times at once: Client ADDRESS PORT. */
public final class Client {
    private Client() {}

    public static void main(String[] words) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Thread thread = new Thread(() -> request(words[0], Integer.parseInt(words[1])));
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void request(String address, int port) {
        try (Socket socket = new Socket(address, port)) {
            socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes());
            InputStream input = socket.getInputStream();
            String text = new String(input.readAllBytes());
            synchronized (Client.class) {
                System.out.println(text);
            }
        } catch (java.io.IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }
}
