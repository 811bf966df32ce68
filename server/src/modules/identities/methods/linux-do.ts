/**
 * Sign-in with a Linux DO account. Source: https://wiki.linux.do/Community/LinuxDoConnect, read
 * 2026-11-21.
 */

import { z } from "zod";
import { Refusal } from "#base/refusal.ts";
import type { Method } from "./method.ts";
import { askOutside } from "./outside.ts";

const title = " Linux DO ";

const tokenUrl = "https://connect.linux.do/oauth2/token";
const profileUrl = "https://connect.linux.do/api/user";

const tokenAnswer = z.object({ access_token: z.string().min(1) });

const profile = z.object({
  /** The user's id, which never changes, unlike the names. */
  id: z.number().int().positive(),
  username: z.string().nullish(),
  name: z.string().nullish(),
  /** The user's trust level at Linux DO, from 0 to 4. */
  trust_level: z.number().int().catch(0),
});

export const linuxDo: Method = {
  title,
  column: "linux_do_id",
  kind: "redirect",
  namePrefix: "linuxdo",
  isOn: (readOption) => readOption("LinuxDOOAuthEnabled"),

  async identify({ code }, { readOption, callOutside, ownAddress }) {
    const pair = `${readOption("LinuxDOClientId")}:${readOption("LinuxDOClientSecret")}`;
    const { access_token } = await askOutside(
      callOutside,
      {
        url: tokenUrl,
        headers: { authorization: `Basic ${Buffer.from(pair).toString("base64")}` },
        form: {
          grant_type: "authorization_code",
          code,
          // The redirect address registered with the provider. Sign-in pages send no redirect
          // address, so the provider returns the browser to the registered one.
          redirect_uri: `${ownAddress()}/oauth/linuxdo`,
        },
      },
      tokenAnswer,
      title,
    );
    const user = await askOutside(
      callOutside,
      { url: profileUrl, headers: { authorization: `Bearer ${access_token}` } },
      profile,
      title,
    );
    const least = readOption("LinuxDOMinimumTrustLevel");
    if (user.trust_level < least) {
      throw new Refusal("not-allowed", `Linux DO 信任等级未达到管理员设置的最低等级：${least}`);
    }
    return {
      issuer: "https://connect.linux.do",
      subject: String(user.id),
      shownAs: user.username ?? "",
      displayName: user.name || (user.username ?? ""),
      username: "",
      // The profile does not say whether Linux DO has verified the user's e-mail address.
      email: "",
    };
  },
};
