/** The names that servers and services give the fields of their logs, if columns or members have names. */
import type { FieldName } from "./line.ts";

/** Names in lowercase with letters and digits only; the first one that a log has is used, if its values are as good as those of the others. */
const aliases: Readonly<Record<FieldName, readonly string[]>> = {
  useragent: words(`
    useragent httpuseragent csuseragent cuseragent requestuseragent requestheadersuseragent httprequestuseragent headersuseragent
    clientrequestuseragent useragentoriginal ua agent cagent`),
  time: words(`
    time timestamp datetime date ts timelocal timeiso8601 startutc edgestarttimestamp requesttime msec starttime startedat
    reqtimesec timegenerated timegeneratedutc timeunixnano`),
  status: words(`
    status statuscode scstatus responsestatus downstreamstatus edgeresponsestatus httpresponsestatuscode httpstatuscode
    httprequeststatus elbstatuscode code responsecode httpstatus respstatus`),
  bytes: words(`
    scbytes bytes bytessent bodybytessent size responsesize downstreamcontentsize edgeresponsebytes httpresponsebodybytes
    httprequestresponsesize responsebytes responselength sentbytes responsebodysize`),
  path: words(`
    requesturi requestpath csuristem clientrequesturi clientrequestpath httprequestrequesturl urlpath urloriginal reqpath httptarget
    uri path url resourcepath csuri httpurl`),
  request: words("request requestline httprequest"),
  address: words(`
    cip clientip requestclientip httprequestclientip cliip remoteaddr remoteip requestremoteip httprequestremoteip clientaddress
    downstreamremoteaddress remoteaddress reqremoteaddress sourceip remotehost clienthost ip client address`),
  count: words("count hitcount requests hits"),
  referrer: words(`
    referer referrer httpreferer httpreferrer csreferer csreferrer requestreferer requestheadersreferer httprequestreferer
    httprequestreferrer clientrequestreferer csreferred`),
  query: words("csuriquery query querystring urlquery clientrequestquery querystr"),
  forwarded: words(`
    xforwardedfor httpxforwardedfor forwardedfor xff csxforwardedfor requestxforwardedfor requestheadersxforwardedfor
    headersxforwardedfor`),
  realip: words(`
    xrealip httpxrealip csxrealip requestheadersxrealip headersxrealip realip originalip csoriginalip xclientip fastlyclientip
    httpfastlyclientip headersfastlyclientip`),
  cdnip: words(`
    cfconnectingip httpcfconnectingip cscfconnectingip requestheaderscfconnectingip headerscfconnectingip trueclientip
    httptrueclientip cstrueclientip requestheaderstrueclientip headerstrueclientip`),
};

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** How well `name` fits a field: the lower the better, undefined if it does not. */
export function rankOf(fieldName: FieldName, name: string): number | undefined {
  const rank = aliases[fieldName].indexOf(toAlias(name));
  return rank === -1 ? undefined : rank;
}

/** Whether only the user agent has such a name: `agent` and `ua` may be other things. */
export function isUserAgentName(name: string): boolean {
  return toAlias(name).includes("useragent");
}

/** As names are compared. */
export function toAlias(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
