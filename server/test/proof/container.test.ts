/** The image and the compose files, as far as they can be checked without Docker. */

import { expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { freePort } from "#test/nginx.ts";
import { executable, makeHome, startGateway } from "#test/gateway.ts";

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
  read_only: z.literal(true).optional(),
  tmpfs: z.array(z.literal("/tmp")).optional(),
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
  expect(read("scripts/release/image.mjs")).toContain(`const dataFolder = "${folder.slice(1)}"`);
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
    [...read("docs/operate/settings.md").matchAll(/`([A-Z_]+)`/g)].map(([, name = ""]) => name),
  );
  // Of every program.
  known.add("PATH");
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
      env: { PATH: dirname(executable), PORT: port },
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

const cluster = z.object({
  services: z.object({
    "node-a": z.looseObject({ read_only: z.literal(true), volumes: z.array(z.string()) }),
    "node-b": z.looseObject({ read_only: z.literal(true), volumes: z.array(z.string()) }),
    postgres: z.looseObject({ image: z.string() }),
    caddy: z.looseObject({ command: z.array(z.string()) }),
  }),
  volumes: z.record(z.string(), z.null()),
});

test("the compose file of a cluster has two nodes with folders of their own behind one proxy", () => {
  const { services, volumes } = cluster.parse(
    Bun.YAML.parse(read("docs/operate/compose.cluster.yaml")),
  );
  const folders = [services["node-a"], services["node-b"]].map(({ volumes: [own = ""] }) => own);
  expect(folders).toEqual(["node-a:/var/lib/tollgate", "node-b:/var/lib/tollgate"]);
  expect(Object.keys(volumes)).toEqual(["caddy", "node-a", "node-b", "postgres"]);
  expect(services.caddy.command.filter((word) => word.startsWith("--to="))).toEqual([
    "--to=node-a:3000",
    "--to=node-b:3000",
  ]);
});

// A container cannot be run here, so its root file system is laid out as the Dockerfile does it, and
// the program is started in it: as the image's user, read-only, with nothing else around it.
test("the image's root file system is enough for a first start, as its user and read-only", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-image-"));
  const rootfs = join(folder, "rootfs");
  const laid = Bun.spawnSync(["node", join(top, "scripts/release/image.mjs"), rootfs]);
  expect(laid.stderr.toString()).toBe("");
  const programs = ["bin", "usr/bin", "usr/local/bin"].flatMap((path) =>
    existsSync(join(rootfs, path)) ? readdirSync(join(rootfs, path)) : [],
  );
  expect(programs).toEqual(["tollgate"]);
  const script = `
    set -e
    mount --bind ${rootfs} ${rootfs}
    mount -t proc proc ${rootfs}/proc
    mount --rbind /dev ${rootfs}/dev
    mount --bind ${folder}/data ${rootfs}/var/lib/tollgate
    mount -o remount,bind,ro ${rootfs}
    export PATH=/usr/local/bin:$PATH
    chroot --userspec=10001:10001 ${rootfs} tollgate &
    trap 'kill %1; wait' EXIT
    for look in $(seq 100); do
      if chroot --userspec=10001:10001 ${rootfs} tollgate health 2> /dev/null; then break; fi
      sleep 0.3
    done
    chroot --userspec=10001:10001 ${rootfs} tollgate health
    chroot --userspec=10001:10001 ${rootfs} tollgate doctor --json
    echo; stat -c '%u %a' ${folder}/data/tollgate.db
    if chroot --userspec=10001:10001 ${rootfs} tollgate backup /no.backup 2> /dev/null; then exit 9; fi
    echo read-only`;
  mkdirSync(join(folder, "data"));
  // A container gets these from what runs it.
  mkdirSync(join(rootfs, "proc"));
  mkdirSync(join(rootfs, "dev"));
  chmodSync(folder, 0o755);
  chownSync(join(folder, "data"), 10_001, 10_001);
  const child = Bun.spawn(["unshare", "--mount", "--fork", "--pid", "bash", "-c", script], {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOST: "127.0.0.1",
      PORT: String(freePort()),
      TOLLGATE_DATA_DIR: "/var/lib/tollgate",
      TOLLGATE_LOG: "warn",
      TOLLGATE_ROOT_USERNAME: "root",
      TOLLGATE_ROOT_PASSWORD: "correct horse battery",
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect(await child.exited, out + err).toBe(0);
  const found = z
    .object({ findings: z.array(z.looseObject({ check: z.string(), state: z.string() })) })
    .parse(JSON.parse(out.slice(0, out.lastIndexOf("}") + 1)));
  expect(found.findings.filter(({ state }) => state === "fail")).toEqual([]);
  expect(out).toContain("10001 600\nread-only\n");
  rmSync(folder, { recursive: true, force: true });
}, 120_000);
