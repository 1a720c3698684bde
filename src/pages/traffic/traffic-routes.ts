/** The routes of `/traffic`: the page, and the sign-in if a token is needed. */

import type { RequestContext, Route } from "../../http/context.ts";
import { Problem } from "../../http/problems.ts";
import { hourMs } from "../../record/traffic.ts";
import { privately, type ShowPage } from "../layout.ts";
import type { TrafficSource } from "../traffic-source.ts";
import { type Period, periods, startOf, toFigures } from "./traffic-figures.ts";
import type { TrafficFacts } from "./traffic-page.ts";

/** The cookie of the sign-in. */
const cookieName = "whocrawls-token";

const maxFormBytes = 4096;
const shownStrings = 10;

/** Loaded at the first visit: few visitors need the chart's scales. */
const views = () => import("./traffic-page.ts");

const page = { path: "/traffic", method: "GET", isOpen: true, operation: "none" } as const;

interface TrafficParts {
  readonly source: TrafficSource | undefined;
  readonly show: ShowPage;
  /** The service's own address as the client of a request sees it. */
  readonly addressOf: (context: RequestContext) => string;
  readonly basePath: string;
}

/** Makes the routes; without a source the page says that there is nothing to show. */
export function createTrafficRoutes({ source, show, addressOf, basePath }: TrafficParts): readonly Route[] {
  if (source === undefined) {
    return [{ ...page, handler: async (context) => show(context, (await views()).toNoTrafficPage()) }];
  }
  const refuse = async (context: RequestContext, isRefused: boolean) => {
    const { toNoTrafficPage, toSignInPage } = await views();
    return source.hasSignIn
      ? show(context, toSignInPage(isRefused), 401, { ...privately, "www-authenticate": "Bearer" })
      : show(context, toNoTrafficPage(), 403, privately);
  };
  return [
    {
      ...page,
      async handler(context) {
        if (!source.mayRead(context)) return refuse(context, false);
        const facts = { ...(await readFacts(source, context)), origin: addressOf(context) };
        return show(context, (await views()).toTrafficPage(facts), 200, privately);
      },
    },
    {
      path: "/sign-in",
      method: "POST",
      isOpen: true,
      operation: "none",
      async handler(context) {
        const form = new TextDecoder().decode(await context.request.readBody(maxFormBytes));
        const token = new URLSearchParams(form).get("token") ?? "";
        const secure = source.usesTls(context) ? "; Secure" : "";
        const cookie = `${cookieName}=${encodeURIComponent(token)}; Path=${basePath}/; HttpOnly; SameSite=Strict${secure}`;
        const isRefused = !source.mayRead(withCookie(context, cookie));
        if (isRefused) return refuse(context, true);
        return {
          status: 303,
          headers: { location: `${basePath}/traffic`, "set-cookie": cookie, ...privately },
          body: null,
        };
      },
    },
  ];
}

function withCookie(context: RequestContext, cookie: string): RequestContext {
  const { headers } = context.request;
  const get = (name: string) => (name === "cookie" ? cookie : name === "authorization" ? null : headers.get(name));
  // The request's own members are getters, which a spread would read.
  return { ...context, request: Object.create(context.request, { headers: { value: { get } } }) };
}

function periodOf({ request }: RequestContext): Period {
  const asked = new URLSearchParams(request.query).get("period") ?? "day";
  return Object.hasOwn(periods, asked) ? (asked as Period) : "day";
}

async function readFacts(source: TrafficSource, context: RequestContext): Promise<Omit<TrafficFacts, "origin">> {
  const period = periodOf(context);
  const now = source.now();
  const today = Math.floor(now / (24 * hourMs)) * 24 * hourMs;
  const [hours, frequent, fresh, news] = await Promise.all([
    source.hours(startOf(period, now)),
    source.frequent(shownStrings),
    source.fresh(today, shownStrings),
    source.news(),
  ]).catch(() => {
    throw new Problem("record-unavailable", "The record cannot be read now. The log and /readyz say why.");
  });
  const figures = toFigures(hours);
  const dropped = source.dropped();
  return { period, now, hours, figures, frequent, fresh, news, dropped, needsToken: source.hasSignIn };
}

/** The token of the sign-in as an `Authorization` header would carry it; null without both. */
export function authorizationOf({ request: { headers } }: RequestContext): string | null {
  const given = headers.get("authorization");
  if (given !== null) return given;
  const pair = (headers.get("cookie") ?? "").split(/;\s*/).find((part) => part.startsWith(`${cookieName}=`));
  if (pair === undefined) return null;
  try {
    return `Bearer ${decodeURIComponent(pair.slice(cookieName.length + 1))}`;
  } catch {
    return null;
  }
}
