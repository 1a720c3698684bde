// Answers, for each string, whether the expression matches: a line of 1 and 0. Input: lines of hexadecimal UTF-16BE, of which
// the first is the expression. With the argument "time": the processor's milliseconds that each takes, the
// better of two.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.regex.Pattern;

class Match {
  public static void main(String[] arguments) throws Exception {
    var lines = new BufferedReader(new InputStreamReader(System.in));
    var pattern = Pattern.compile(decode(lines.readLine()));
    var answers = new StringBuilder();
    for (var line = lines.readLine(); line != null; line = lines.readLine()) {
      var string = decode(line);
      if (arguments.length == 0) answers.append(pattern.matcher(string).find() ? 1 : 0);
      else answers.append(Math.min(time(pattern, string), time(pattern, string))).append(' ');
    }
    System.out.println(answers);
  }

  static double time(Pattern pattern, String string) {
    var processor = ManagementFactory.getThreadMXBean();
    var started = processor.getCurrentThreadCpuTime();
    pattern.matcher(string).find();
    return (processor.getCurrentThreadCpuTime() - started) / 1e6;
  }

  static String decode(String line) {
    var text = new StringBuilder();
    for (int i = 0; i < line.length(); i += 4) text.append((char) Integer.parseInt(line.substring(i, i + 4), 16));
    return text.toString();
  }
}
