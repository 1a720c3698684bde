# Answers, for each string, whether the expression matches: a line of 1 and 0. Input: lines of hexadecimal UTF-16BE, of which
# the first is the expression. With the argument "time": the processor's milliseconds that each takes, the better of two.
use strict;
use warnings;
no warnings 'surrogate';
use Encode qw(decode);
use List::Util qw(min);
use Time::HiRes qw(clock);

my ($expression, @strings) = map { chomp; decode('UTF-16BE', pack('H*', $_)) } <STDIN>;
my $regexp = qr/$expression/;
if ((shift // '') eq 'time') {
  my $once = sub { my ($string) = @_; my $started = clock; my $found = $string =~ /$regexp/; 1000 * (clock() - $started) };
  print join ' ', map { my $string = $_; min map { $once->($string) } 1 .. 2 } @strings;
  exit;
}
print map { /$regexp/ ? 1 : 0 } @strings;
