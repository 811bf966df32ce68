/** Source: https://connect.linux.do, read 2026-11-21. */

import { z } from "zod";
import type { Method } from "./method.ts";
import { askOutside } from "./outside.ts";

const title = " Linux DO ";

const tokenAnswer = z.object({ access_token: z.string().min(1) });

const profile = z.object({
  id: z.number().int().positive(),
  username: z.string().nullish(),
  name: z.string().nullish(),
});

export const linuxDo: Method = {
  title,
  column: "linux_do_id",
  kind: "redirect",
  namePrefix: "linuxdo",
  isOn: (readOption) => readOption("LinuxDOOAuthEnabled"),

  async identify({ code }, { readOption, callOutside, addresses, ownAddress }) {
    const pair = `${readOption("LinuxDOClientId")}:${readOption("LinuxDOClientSecret")}`;
    const { access_token } = await askOutside(
      callOutside,
      {
        url: addresses.linuxDoToken,
        headers: { authorization: `Basic ${Buffer.from(pair).toString("base64")}` },
        form: {
          grant_type: "authorization_code",
          code,
          redirect_uri: `${ownAddress()}/api/oauth/linuxdo`,
        },
      },
      tokenAnswer,
      title,
    );
    const user = await askOutside(
      callOutside,
      { url: addresses.linuxDoUser, headers: { authorization: `Bearer ${access_token}` } },
      profile,
      title,
    );
    return {
      issuer: "https://connect.linux.do",
      subject: String(user.id),
      displayName: user.name || (user.username ?? ""),
      username: "",
      // Whether the address of the profile is theirs is not said.
      email: "",
    };
  },
};
