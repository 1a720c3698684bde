# Answers, for each string, whether the expression matches: a line of 1 and 0. Input: lines of hexadecimal UTF-16BE, of which
# the first is the expression.
expression, *strings = STDIN.read.split("\n", -1).map do |line|
  [line].pack("H*").force_encoding("UTF-16BE").encode("UTF-8", invalid: :replace, undef: :replace)
end
regexp = Regexp.new(expression)
puts strings.map { |string| regexp.match?(string) ? 1 : 0 }.join
