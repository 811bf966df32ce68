/** The image and the compose files, as far as they can be checked without Docker. */

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { makeHome, startGateway } from "#test/gateway.ts";

const top = join(import.meta.dir, "../../..");
const read = (path: string): string => readFileSync(join(top, path), "utf8");

const service = z.object({
  build: z.string().optional(),
  image: z.string(),
  restart: z.literal("unless-stopped"),
  ports: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()),
  volumes: z.array(z.string()),
  stop_grace_period: z.string().optional(),
});
const composed = z.object({
  services: z.record(z.string(), service.partial()),
  volumes: z.record(z.string(), z.null()),
});

const compose = composed.parse(Bun.YAML.parse(read("compose.yaml")));
const postgres = composed.parse(Bun.YAML.parse(read("docs/operate/compose.postgres.yaml")));
const dockerfile = read("Dockerfile").replaceAll(/\\\n\s*/g, "");

/** The settings that the image gives its program. */
const imageEnvironment = Object.fromEntries(
  [...(/^ENV (.+)$/m.exec(dockerfile)?.[1] ?? "").matchAll(/(\w+)=(\S+)/g)].map(
    ([, name = "", value = ""]) => [name, value],
  ),
);

/** The command of the image's health check, with the escapes of its JSON read. */
function healthCheck(): string[] {
  const [, text = "[]"] = /^HEALTHCHECK .*?CMD (\[.+\])$/m.exec(dockerfile) ?? [];
  return z.array(z.string()).parse(JSON.parse(text));
}

test("the compose files and the image agree on port, data folder and time to stop", () => {
  const { tollgate } = compose.services;
  const folder = imageEnvironment["TOLLGATE_DATA_DIR"] ?? "";
  expect(tollgate?.build).toBe(".");
  expect(tollgate?.ports).toEqual([`127.0.0.1:3000:${imageEnvironment["PORT"]}`]);
  expect(tollgate?.volumes).toEqual([`data:${folder}`]);
  expect(dockerfile).toContain(`VOLUME ${folder}\n`);
  expect(dockerfile).toContain(`install -d -m 700 -o tollgate -g tollgate ${folder}\n`);
  // Running streams may take ten minutes.
  expect(tollgate?.stop_grace_period).toBe("11m");
  for (const { services, volumes } of [compose, postgres]) {
    const named = Object.values(services).flatMap((one) => one.volumes ?? []);
    for (const volume of named) expect(Object.keys(volumes)).toContain(volume.split(":")[0] ?? "");
  }
  expect(read(".dockerignore").split("\n")).toEqual(
    expect.arrayContaining([".git", ".env", "**/node_modules", "**/dist", "**/data"]),
  );
});

test("the compose files name only settings that the program reads", () => {
  const known = new Set(
    [...read("README.md").matchAll(/`([A-Z_]+)`/g)].map(([, name = ""]) => name),
  );
  const named = [compose, postgres].flatMap(({ services }) =>
    Object.keys(services["tollgate"]?.environment ?? {}),
  );
  expect(named.length).toBeGreaterThan(2);
  for (const name of [...named, ...Object.keys(imageEnvironment)]) expect(known).toContain(name);
  for (const [, name = ""] of read("docs/operate/docker.md").matchAll(/(TOLLGATE_[A-Z_]+)/g)) {
    expect(known).toContain(name);
  }
});

test("with the image's settings people can sign in, and the image's check tells a gateway that runs", async () => {
  const home = await makeHome("sqlite");
  const env = {
    ...imageEnvironment,
    ...compose.services["tollgate"]?.environment,
    PORT: "0",
    TOLLGATE_DATA_DIR: home.dataDir,
    TOLLGATE_ROOT_USERNAME: undefined,
    TOLLGATE_ROOT_PASSWORD: undefined,
  };
  const gateway = await startGateway(home, { env });
  const port = new URL(gateway.origin).port;
  const check = async (): Promise<number> =>
    await Bun.spawn(healthCheck(), {
      env: { PATH: process.env["PATH"], PORT: port },
      stdout: "ignore",
      stderr: "ignore",
    }).exited;
  try {
    expect(await check()).toBe(0);
    const token = /setup#token=(\S+)/.exec(gateway.output())?.[1];
    const account = { username: "chief", password: "a long enough password" };
    const answer = await fetch(`${gateway.origin}/api/setup`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...account, confirmPassword: account.password, token }),
    });
    expect(await answer.json()).toMatchObject({ success: true });
    const signedIn = await fetch(`${gateway.origin}/api/user/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(account),
    });
    // A browser sends this cookie back over plain HTTP.
    expect(signedIn.headers.get("set-cookie")).not.toContain("Secure");
    expect(await gateway.stop("SIGINT")).toBe(0);
    expect(await check()).not.toBe(0);
  } finally {
    await gateway.kill();
    await home.remove();
  }
});
