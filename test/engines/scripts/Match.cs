// Answers, for each string, whether the expression matches: a line of 1 and 0. Input: lines of hexadecimal UTF-16BE, of which
// the first is the expression.
using System;
using System.Text;
using System.Text.RegularExpressions;

static class Match {
  static void Main() {
    var regex = new Regex(Decode(Console.In.ReadLine()));
    var answers = new StringBuilder();
    for (var line = Console.In.ReadLine(); line != null; line = Console.In.ReadLine())
      answers.Append(regex.IsMatch(Decode(line)) ? 1 : 0);
    Console.WriteLine(answers);
  }

  static string Decode(string line) {
    var text = new StringBuilder();
    for (int i = 0; i < line.Length; i += 4) text.Append((char)Convert.ToInt32(line.Substring(i, 4), 16));
    return text.ToString();
  }
}
