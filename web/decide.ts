/** Whether a string is a crawler's, and no more: fewer bytes than web/details.ts, so that the first answer comes before the names. */
export { isCrawler } from "../src/detect/built-in/is-crawler.ts";
