/** Changes of screens, states, forms and speed. */

import { type Change, onBoth } from "./change.ts";
import * as figures from "./figures.ts";
import * as forms from "./steps-forms.ts";
import * as places from "./steps-places.ts";
import * as screens from "./steps-screens.ts";
import * as speed from "./figures-speed.ts";

export const screenChanges: readonly Change[] = [
  {
    number: 16,
    name: "playground-loading",
    title: "The playground says that it loads",
    was: "While the playground loaded, it said that no model was available.",
    now: "The playground says that models are loading.",
    picture: onBoth(screens.playgroundLoading),
  },
  {
    number: 17,
    name: "discard",
    title: "A question with two clear answers",
    was: "Who left a form was asked “Cancel” or “Discard”, and Escape lost the place of the keyboard.",
    now: "The answers are “Keep editing” and “Discard”, and Escape leads back to the button that opened the form.",
    picture: onBoth(forms.leaveForm),
    figures: { measure: figures.focusAfterEscape },
  },
  {
    number: 18,
    name: "phone",
    title: "Lists on a phone",
    was: "On a phone the log showed one row and a half below 320 pixels of controls, without tokens.",
    now: "Each call takes two lines with its tokens and cost, and the controls are one bar.",
    picture: { ...onBoth(screens.logOnPhone), isPhone: true },
  },
  {
    number: 19,
    name: "login",
    title: "A composed sign-in page",
    was: "The sign-in page was a few fields in an empty space.",
    now: "The sign-in page has the gateway's mark and name, on a card of its own.",
    picture: { ...onBoth(places.login), as: null },
  },
  {
    number: 20,
    name: "skeleton",
    title: "Skeletons look like what follows",
    was: "While settings loaded, two grey slabs stood in place of the form.",
    now: "The placeholders have the form of the settings that follow.",
    picture: onBoth(screens.settingsLoading),
  },
  {
    number: 21,
    name: "root-error",
    title: "Root is not sent to the administrator",
    was: "An error of the server told root to contact the administrator, which root is.",
    now: "The message says what happened and gives the request ID to search the server's log for.",
    picture: onBoth(screens.internalError),
  },
  {
    number: 22,
    name: "log-details",
    title: "Details of a call explain themselves",
    was: "The details of a call showed ratios as “1×2×1” without a word, and named one channel “Channels tried”.",
    now: "Each ratio has its name beside it, and the formula adds up to the cost.",
    picture: onBoth(screens.logDetails),
  },
  {
    number: 23,
    name: "user-status",
    title: "One word for each status",
    was: "Users were “activated”, “banned” or “barred”, while the button said “Disable”.",
    now: "Users are “Active”, “Disabled”, “Blocked” or “Deleted”.",
    picture: onBoth(screens.users),
  },
  {
    number: 24,
    name: "price-editor",
    title: "The usual prices come first",
    was: "The price editor began with the price of a call, which few models have, showed 20 of 200 unpriced models, and saved in two steps.",
    now: "The editor begins with input and output prices, shows what a call costs, and saves at once; every unpriced model is in the list.",
    picture: { before: forms.priceEditorBefore, after: forms.priceEditor },
  },
  {
    number: 25,
    name: "accessibility",
    title: "No finding of the accessibility checker",
    was: "The checker axe had findings on the pages of the console, and some targets were too small for a thumb.",
    now: "Axe has none, and every target on a phone is at least 32 pixels high.",
    noPicture:
      "Findings have no picture; `npm test -- e2e/sweep.spec.ts e2e/room.spec.ts` checks every screen in every look.",
    figures: { measure: figures.accessibility },
  },
  {
    number: 26,
    name: "direction",
    title: "Names keep their direction",
    was: "Arabic and Hebrew names took the direction of the page, so their signs and numbers changed places.",
    now: "What people typed is shown in its own direction.",
    picture: onBoth(forms.arabicName),
  },
  {
    number: 27,
    name: "first-visit",
    title: "A first visit needs few files",
    was: "A first visit loaded a hundred files before it drew anything.",
    now: "The first page needs few files and somewhat fewer bytes, and the title and the bar are there before the code.",
    noPicture:
      "A quicker page looks the same; [first visits on a slow line](../console-speed.md) by `npm run bench -- --console`.",
    figures: { measure: speed.firstVisits },
  },
  {
    number: 28,
    name: "felt-speed",
    title: "Long lists are held to limits",
    was: "Nothing would have noticed if the next page of 100 rows or a change of the theme had kept the browser busy for longer.",
    now: "A test holds both to limits; the times themselves are about as before.",
    noPicture:
      "Times have no picture; `npm test -- e2e/speed.spec.ts` compares them with their limits.",
    figures: { measure: speed.longLists },
  },
  {
    number: 29,
    name: "memory",
    title: "Visits of the log are forgotten",
    was: "Each visit of the log kept its page of rows in memory for five minutes, although no later visit could use it.",
    now: "The rows are dropped half a minute after the log was left; what still grows at first is code that the browser compiles.",
    noPicture: "Memory has no picture; these are the page's heaps after a collection.",
    figures: { measure: speed.memory },
  },
];
