/** Changes by which newcomers find their way. */

import { type Change, onBoth } from "./change.ts";
import * as figures from "./figures.ts";
import * as forms from "./steps-forms.ts";
import * as places from "./steps-places.ts";

export const newcomerChanges: readonly Change[] = [
  {
    number: 7,
    name: "home",
    title: "Home shows the gateway at work",
    was: "The example on the home page called a model that the gateway did not serve, with a key that nobody has.",
    now: "The home page shows calls as they pass with their costs, and sends an example that works.",
    picture: { before: places.homeBefore, after: places.home, as: null, stage: "demo" },
  },
  {
    number: 8,
    name: "first-page",
    title: "A path from installed to in use",
    was: "After the setup root stood before an empty list of channels, and nothing said what comes next.",
    now: "Root sees the steps that are left until the first charged call; each is ticked when it is done.",
    picture: { ...onBoth(places.setUp), as: null, stage: "demo" },
  },
  {
    number: 9,
    name: "prices",
    title: "Models & prices has a place of its own",
    was: "Prices were the ninth of eleven sections of the settings, and were changed one model at a time.",
    now: "Models & prices is in the menu, by vendor, with changes of many prices at once; channels say how many of their models have no price.",
    picture: { before: places.pricesInSettings, after: places.prices },
  },
  {
    number: 10,
    name: "palette",
    title: "The command palette finds what people seek",
    was: "The palette found no setting and no model: “price” had no result.",
    now: "The palette finds pages, settings, models and actions by any of their words, in both languages.",
    picture: onBoth(places.palette),
  },
  {
    number: 11,
    name: "menu",
    title: "The menu says what each page is for",
    was: "“Usage log” and “Usage log (new)”, “Users” and “Users (new)” stood side by side.",
    now: "“All requests” and “Users by spend” say what they show.",
    picture: onBoth(places.menu),
  },
  {
    number: 12,
    name: "channel-types",
    title: "The usual providers come first",
    was: "The types of channels began with 01.AI, 360 and AI Proxy, each with two letters for a mark.",
    now: "The types that most people look for come first, each with its own mark.",
    picture: onBoth(forms.channelTypes),
  },
  {
    number: 13,
    name: "fetched-models",
    title: "Fetched models are in order",
    was: "Fetched models were sorted as texts, in one heap, and those that the upstream no longer has came last.",
    now: "Fetched models are grouped by vendor and sorted by number; those that the upstream no longer has come first.",
    picture: onBoth(forms.fetchModels),
  },
  {
    number: 14,
    name: "readme",
    title: "Documents for the first hour and the first year",
    was: "The README had no Chinese version and no line for cloning, and nothing described a reverse proxy, backup or upgrade.",
    now: "There is a Chinese README of the same content, and a page for each task of running the gateway.",
    noPicture:
      "A document is read, not looked at: [README](../../README.md), [README in Chinese](../../README.zh-CN.md), [pages for operators](../operate/).",
    figures: { measure: figures.documents },
  },
  {
    number: 15,
    name: "api-language",
    title: "API errors speak the caller's language",
    was: "Errors of the API were in Chinese, whatever language the caller's program asked for.",
    now: "Errors of the API follow `Accept-Language`; an option sets the language of callers that name none.",
    noPicture:
      "The answer to a program has no picture; this is the message for a model that does not exist, with `Accept-Language: en`.",
    figures: { measure: figures.apiError },
  },
];
