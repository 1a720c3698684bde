/** Gives verdicts with the tables that this package was built with. */
import { createCheck } from "../create-check.ts";
import type { UserAgent, Verdict } from "../verdict.ts";
import { isCrawler } from "./is-crawler.ts";
import { itemList } from "./items.ts";
import { finders } from "./tables.ts";

const checkText = /* @__PURE__ */ createCheck(isCrawler, {
  get nameIndex() {
    return finders();
  },
  get items() {
    return itemList();
  },
});

/** The verdict on `useragent`; takes as long as `isCrawler` for a person's, and about a microsecond for a crawler's. */
export function check(useragent: UserAgent): Verdict {
  return checkText(useragent);
}
