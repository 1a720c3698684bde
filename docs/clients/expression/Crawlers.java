import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;

class Crawlers {
    public static void main(String[] arguments) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://localhost:8080/RestService/RegExp")).build();
        var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
        var crawler = Pattern.compile(response.body());
        System.out.println(crawler.matcher("curl/8.5.0").find());
    }
}
