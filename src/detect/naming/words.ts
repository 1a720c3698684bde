/** Words that name no crawler, or only together with others. */

const browserWords =
  "mozilla mozila mozzila gmozilla compatible applewebkit khtml like gecko chrome chromium safari version mobile firefox opera opr presto msie trident edge edg " +
  "windows nt win64 x64 wow64 macintosh intel i386 i686 x86 x86_64 amd64 mac os cpu linux android iphone ipad ipod x11 ubuntu u rv build wv crios fxios iceweasel " +
  "user-agent user_agent useragent vivaldi yabrowser ucbrowser samsungbrowser konqueror net clr qt cfnetwork darwin symbianos series60 profile configuration midp cldc up.browser up.link href www com txt en us " +
  "sv1 infopath maxthon itunes dalvik ucweb win32 debian freebsd openbsd netbsd sunos solaris arm64 aarch64 plus tm";

const purposes =
  "agent aggregator analyzer api archiver archiving audit b0t bot bots check checker class client code collector crawl crawler crawlers crawling downloader engine extractor " +
  "favicon feed feeder feedfetcher fetch fetcher free generator get grabber html http https httpclient image images importer indexer inspector library link linkchecker monitor " +
  "monitoring package page parser preview probe proxy reader request research resolver robot robots rss scan scanner scraper screenshot script search seo " +
  "server service site spider spiders support system tool tools uptime url validator verifier web webspider website worker";

const languages = "cpython curl go java libcurl lwp node node.js perl php python python-requests ruby wget";

const sentence =
  "a an and are at by connect contact from for if in info is it mailto my of on or please powered the that this to unknown using via version with your";

/** Words of browsers, platforms, addresses and sentences: a name ends before one. */
export const between = /* @__PURE__ */ wordSet(`${browserWords} ${sentence}`);

/** The languages of programs, which name them in addition to themselves. */
export const languageNames = /* @__PURE__ */ wordSet(languages);

/** Words of crawlers: a word that contains one of them is a name of its own, such as `AntiSpamBot`. */
export const crawlerWord = /bot|crawl|spider/i;

/** Words that only describe a crawler. Alone they are no name, but `COMODO SSL Checker` is a name. */
export const describing = /* @__PURE__ */ wordSet(`${browserWords} ${purposes} ${languages}`);

/** Sites that many people use: their addresses name no crawler. */
export const sharedHosts = /* @__PURE__ */ wordSet(
  "gmail.com googlemail.com hotmail.com outlook.com yahoo.com aol.com gmx.de mail.ru qq.com 163.com " +
    "bit.ly git.io goo.gl ow.ly t.co tinyurl.com sites.google.com",
);

/** One call, which bundlers can leave out where it is not used. */
function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
