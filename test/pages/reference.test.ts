/** The page /docs: a place for every operation and problem, links that lead somewhere, and nothing that is loaded from elsewhere. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { problems } from "../../src/http/problems.ts";
import { anchorOf } from "../../src/pages/slug.ts";
import { createService } from "../../src/service.ts";
import { operations } from "../contract/description.ts";

const response = await createService().fetch(new Request("http://example.com:81/docs"));
const page = await response.text();
const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id as string);

it("has the fragment of every operation, and of every problem's type", () => {
  const missing = [
    ...operations.map(({ method, path }) => anchorOf(`${method} ${path}`)),
    ...Object.keys(problems),
  ].filter((id) => !ids.includes(id));
  assert.deepEqual(missing, []);
});

it("names each fragment once, and links to no other", () => {
  assert.equal(new Set(ids).size, ids.length);
  for (const [, target = ""] of page.matchAll(/href="#([^"]+)"/g)) assert.ok(ids.includes(target), target);
});

it("has the clients, with its own address wherever a service is asked", () => {
  for (const text of [
    "curl -s http://example.com:81/RestService/Check ",
    "urlsplit(&quot;http://example.com:81&quot;)",
  ])
    assert.ok(page.includes(text), text);
  assert.ok(!page.includes("localhost"));
});

it("loads nothing from elsewhere, and closes every element in its turn", () => {
  assert.doesNotMatch(page, /<(?:img|iframe|object|style)| (?:style|on[a-z]+)="|(?:src|action)="(?:https?:)?\/\//);
  const open: string[] = [];
  for (const [, slash, name = ""] of page
    .replace(/<!doctype html>|<(?:meta|link) [^>]*>/g, "")
    .matchAll(/<(\/?)([a-z0-9]+)[^>]*>/g)) {
    if (slash === "") open.push(name);
    else assert.equal(open.pop(), name);
  }
  assert.deepEqual(open, []);
});
