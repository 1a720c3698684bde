/** Access logs of AWS: load balancers of both kinds, and S3. From "Elastic Load Balancing" and "Amazon S3 server access log format". */
import { type FormatKind, templateKind } from "./format-kind.ts";

export const alb: FormatKind = templateKind(
  "alb",
  "access logs of AWS Application Load Balancers",
  '$type $time_iso8601 $elb $remote_addr $target $t1 $t2 $t3 $status $target_status $received $bytes_sent "$request" "$http_user_agent"',
  (line) => /^(?:https?|h2|grpcs|wss?) \d{4}-\d\d-\d\dT/.test(line),
);

export const elb: FormatKind = templateKind(
  "elb",
  "access logs of AWS Classic Load Balancers",
  '$time_iso8601 $elb $remote_addr $backend $t1 $t2 $t3 $status $backend_status $received $bytes_sent "$request" "$http_user_agent"',
  (line) => /^\d{4}-\d\d-\d\dT/.test(line),
);

export const s3: FormatKind = templateKind(
  "s3",
  "server access logs of Amazon S3",
  '$owner $bucket [$time_local] $remote_addr $requester $id $operation $key "$request" $status $error $bytes_sent $size $total $turnaround "$http_referer" "$http_user_agent"',
  // The operation, such as REST.GET.OBJECT.
  // linear: each repeat ends at a character that the repeat does not match; too large for recheck's automaton
  (line) => /^\S+ \S+ \[[^\]]*\] \S+ \S+ \S+ [A-Z0-9]+\.[A-Z0-9_.]+ /.test(line),
);
