import java.io.IOException;
import java.net.URI;
import java.net.http.*;
import java.time.Duration;

class Whocrawls {
    static final URI CHECK = URI.create("http://localhost:8080/RestService/CheckMany");
    static final Duration TIMEOUT = Duration.ofMillis(500);
    static final HttpClient SERVICE = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT).build();

    static boolean isCrawler(String useragent) throws InterruptedException {
        var request = HttpRequest.newBuilder(CHECK).timeout(TIMEOUT)
            .header("Content-Type", "text/plain").POST(HttpRequest.BodyPublishers.ofString(useragent + "\n")).build();
        try {
            var answer = SERVICE.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) throw new IOException(answer.body());
            return answer.body().startsWith("1");
        } catch (IOException error) {
            return false; // false: fail open. true: fail closed.
        }
    }
}
