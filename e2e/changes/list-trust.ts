/** Changes by which users keep money, keys and trust. */

import { type Change, onBoth } from "./change.ts";
import * as forms from "./steps-forms.ts";
import * as places from "./steps-places.ts";
import * as screens from "./steps-screens.ts";

export const trustChanges: readonly Change[] = [
  {
    number: 1,
    name: "second-press",
    title: "A second press is silent",
    was: "Who pressed Create twice was told twice that the submission had failed, over the title of the key that had been created.",
    now: "The second press does nothing while the first one runs, and only the key appears.",
    picture: onBoth(forms.pressTwice),
  },
  {
    number: 2,
    name: "log-room",
    title: "The cost of a call is in view",
    was: "At 1280 pixels the log ended before input, output and charge, and nothing said that there was more to the right.",
    now: "The cost stays in view: columns of less importance give way, are named below the list and stand in the unfolded row.",
    picture: onBoth(screens.log),
  },
  {
    number: 3,
    name: "registration",
    title: "Registration signs in",
    was: "After registration a friend stood before an empty sign-in form, and met the balance of $0.00 only as an error of the first call.",
    now: "Registration signs the new user in and leads to the next step, with the balance in view.",
    picture: { ...onBoth(places.register), as: null },
  },
  {
    number: 4,
    name: "balance",
    title: "The balance is always in view",
    was: "The balance stood only on a tab of the settings.",
    now: "The foot of the menu shows the balance and what was spent today, on every page.",
    picture: { ...onBoth(places.menuOfUser), as: "user" },
  },
  {
    number: 5,
    name: "wrong-key",
    title: "A wrong key is named at its field",
    was: "A key that the upstream refused was reported as “http-401”, without the upstream's words.",
    now: "The key's field is marked and says what the upstream said.",
    picture: onBoth(forms.fetchWithWrongKey),
  },
  {
    number: 6,
    name: "messages",
    title: "Messages leave titles free",
    was: "Messages lay over the titles of pages and sheets, and stayed when their cause was gone.",
    now: "Messages are at the bottom right, and go with a success or with their page.",
    picture: onBoth(forms.sendEmptyForm),
  },
];
