/**
 * Sign-in with a GitHub account. Source:
 * https://docs.github.com/en/apps/oauth-apps/building-oauth-apps, read 2026-11-21.
 */

import { z } from "zod";
import type { Method } from "./method.ts";
import { askOutside } from "./outside.ts";

const title = " GitHub ";

const tokenUrl = "https://github.com/login/oauth/access_token";
const profileUrl = "https://api.github.com/user";

/**
 * The answer with an access token. To a wrong code, GitHub answers with status 200 and a field
 * `error`, which does not match this schema.
 */
const tokenAnswer = z.object({ access_token: z.string().min(1) });

/** A GitHub user. `id` never changes. `login` can change, and another person can then take it. */
const profile = z.object({
  id: z.number().int().positive(),
  login: z.string(),
  name: z.string().nullish(),
  /** The user's public e-mail address, which GitHub has verified. */
  email: z.string().nullish(),
});

export const gitHub: Method = {
  title,
  column: "github_id",
  kind: "redirect",
  namePrefix: "github",
  isOn: (readOption) => readOption("GitHubOAuthEnabled"),

  async identify({ code }, { readOption, callOutside }) {
    const json = {
      client_id: readOption("GitHubClientId"),
      client_secret: readOption("GitHubClientSecret"),
      code,
    };
    const asked = { url: tokenUrl, json };
    const { access_token } = await askOutside(callOutside, asked, tokenAnswer, title);
    const user = await askOutside(
      callOutside,
      { url: profileUrl, headers: { authorization: `Bearer ${access_token}` } },
      profile,
      title,
    );
    return {
      issuer: "https://github.com",
      subject: String(user.id),
      shownAs: user.login,
      displayName: user.name ?? user.login,
      username: "",
      email: user.email ?? "",
    };
  },
};
