/** The routes of `/traffic`: the page, and the sign-in if a token is needed. */

import { readBounded } from "../../http/bodies.ts";
import type { RequestContext, Route } from "../../http/context.ts";
import { Problem } from "../../http/problems.ts";
import { hourMs } from "../../record/traffic.ts";
import { noStoreHeaders, type ShowPage } from "../layout.ts";
import { cookieName, type RecordView, type ShownRecord } from "./record-view.ts";
import { type Period, periods, startOf, toFigures } from "./traffic-figures.ts";
import type { TrafficFacts } from "./traffic-page.ts";

const maxFormBytes = 4096;
const shownStrings = 10;

/** Loaded at the first visit: few visitors need the chart's scales. */
const views = () => import("./traffic-page.ts");

const page = { path: "/traffic", method: "GET", isPublic: true } as const;

/** Makes the routes; without a record the page says that there is nothing to show. `hasHsts`: whether visitors use TLS in any case. */
export function createTrafficRoutes(
  record: ShownRecord | undefined,
  show: ShowPage,
  addressOf: (context: RequestContext) => string,
  hasHsts: boolean,
): readonly Route[] {
  if (record === undefined) {
    return [{ ...page, handler: async (context) => show(context, (await views()).toNoTrafficPage()) }];
  }
  const refuse = async (context: RequestContext, isRefused: boolean) =>
    show(context, (await views()).toSignInPage(isRefused), 401, { ...noStoreHeaders, "www-authenticate": "Bearer" });
  return [
    {
      ...page,
      async handler(context) {
        const view = record.viewOf(context);
        if (view === undefined) return refuse(context, false);
        const facts = await readFacts(view, periodOf(context));
        const page = { ...facts, needsToken: record.hasSignIn, origin: addressOf(context) };
        return show(context, (await views()).toTrafficPage(page), 200, noStoreHeaders);
      },
    },
    {
      path: "/sign-in",
      method: "POST",
      isPublic: true,
      async handler(context) {
        const { basePath } = context;
        const form = new TextDecoder().decode(await readBounded(context.request, maxFormBytes));
        const token = new URLSearchParams(form).get("token") ?? "";
        const secure = hasHsts || addressOf(context).startsWith("https:") ? "; Secure" : "";
        const cookie = `${cookieName}=${encodeURIComponent(token)}; Path=${basePath}/; HttpOnly; SameSite=Strict${secure}`;
        if (record.viewOf(withCookie(context, cookie)) === undefined) return refuse(context, true);
        return {
          status: 303,
          headers: { location: `${basePath}/traffic`, "set-cookie": cookie, ...noStoreHeaders },
          body: null,
        };
      },
    },
  ];
}

function withCookie(context: RequestContext, cookie: string): RequestContext {
  const { headers } = context.request;
  const get = (name: string) => (name === "cookie" ? cookie : name === "authorization" ? null : headers.get(name));
  // Object.create, because spreading the request would evaluate its getters.
  return { ...context, request: Object.create(context.request, { headers: { value: { get } } }) };
}

function periodOf({ request }: RequestContext): Period {
  const asked = new URLSearchParams(request.query).get("period") ?? "day";
  return Object.hasOwn(periods, asked) ? (asked as Period) : "day";
}

async function readFacts(record: RecordView, period: Period): Promise<Omit<TrafficFacts, "origin" | "needsToken">> {
  const now = Date.now();
  const today = Math.floor(now / (24 * hourMs)) * 24 * hourMs;
  const [sums, frequent, fresh, news] = await Promise.all([
    record.sums(startOf(period, now)),
    record.frequent(shownStrings),
    record.fresh(today, shownStrings),
    record.news(),
  ]).catch(() => {
    throw new Problem("record-unavailable", "The record cannot be read at the moment. The log and /readyz say why.");
  });
  return { period, now, hours: sums.hours, figures: toFigures(sums), frequent, fresh, news, dropped: record.dropped() };
}
