/** The names that servers and services give the fields of their logs, if columns or members have names. */
import type { FieldName } from "./line.ts";

/** Names in lowercase with letters and digits only; the first one that a log has is used. */
const aliases: Readonly<Record<FieldName, readonly string[]>> = {
  useragent: [
    "useragent",
    "httpuseragent",
    "csuseragent",
    "requestuseragent",
    "requestheadersuseragent",
    "httprequestuseragent",
    "clientrequestuseragent",
    "useragentoriginal",
    "ua",
    "agent",
    "cagent",
  ],
  time: [
    "time",
    "timestamp",
    "datetime",
    "date",
    "ts",
    "timelocal",
    "timeiso8601",
    "startutc",
    "edgestarttimestamp",
    "requesttime",
    "msec",
    "starttime",
    "startedat",
    "reqtimesec",
  ],
  status: [
    "status",
    "statuscode",
    "scstatus",
    "responsestatus",
    "downstreamstatus",
    "edgeresponsestatus",
    "httpresponsestatuscode",
    "httpstatuscode",
    "httprequeststatus",
    "elbstatuscode",
    "code",
    "responsecode",
    "httpstatus",
    "respstatus",
  ],
  bytes: [
    "scbytes",
    "bytes",
    "bytessent",
    "bodybytessent",
    "size",
    "responsesize",
    "downstreamcontentsize",
    "edgeresponsebytes",
    "httpresponsebodybytes",
    "httprequestresponsesize",
    "responsebytes",
    "responselength",
    "sentbytes",
    "responsebodysize",
  ],
  path: [
    "path",
    "uri",
    "url",
    "requesturi",
    "requestpath",
    "csuristem",
    "clientrequesturi",
    "clientrequestpath",
    "httprequestrequesturl",
    "urlpath",
    "urloriginal",
    "reqpath",
    "httptarget",
    "resourcepath",
    "csuri",
    "httpurl",
  ],
  request: ["request", "requestline"],
  address: [
    "cip",
    "ip",
    "clientip",
    "remoteaddr",
    "remoteip",
    "client",
    "clienthost",
    "clientaddress",
    "requestclientip",
    "requestremoteip",
    "httprequestremoteip",
    "sourceip",
    "remotehost",
    "address",
    "downstreamremoteaddress",
    "cliip",
  ],
  count: ["count", "hitcount", "requests", "hits"],
  referrer: [
    "referer",
    "referrer",
    "httpreferer",
    "httpreferrer",
    "csreferer",
    "csreferrer",
    "requestreferer",
    "requestheadersreferer",
    "httprequestreferer",
    "httprequestreferrer",
    "clientrequestreferer",
    "csreferred",
  ],
  query: ["csuriquery", "query", "querystring", "urlquery", "clientrequestquery", "querystr"],
  forwarded: [
    "xforwardedfor",
    "httpxforwardedfor",
    "forwardedfor",
    "xff",
    "csxforwardedfor",
    "requestxforwardedfor",
    "requestheadersxforwardedfor",
    "headersxforwardedfor",
  ],
};

/** How well `name` fits a field: the lower the better, undefined if it does not. */
export function rankOf(fieldName: FieldName, name: string): number | undefined {
  const rank = aliases[fieldName].indexOf(toAlias(name));
  return rank === -1 ? undefined : rank;
}

/** Whether only the user agent has such a name: `agent` and `ua` may be other things. */
export function isUserAgentName(name: string): boolean {
  return toAlias(name).includes("useragent");
}

function toAlias(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
