import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "#scripts/bun.mjs";
import { makeSbom, shippedPackages } from "./sbom.mjs";
import { isTarget, lockedPackages, targets } from "./targets.mjs";
import { kindOf } from "./try-executable.mjs";

describe("targets", () => {
  test("each has a runtime that the lock file pins by its hash", () => {
    for (const { package: name } of Object.values(targets)) {
      expect(lockedPackages()[`node_modules/@oven/${name}`]?.integrity).toMatch(/^sha512-/);
    }
    expect(isTarget("linux-x64")).toBeTrue();
    expect(isTarget("toString")).toBeFalse();
  });

  test("the executable of this machine is one of its platform", () => {
    const file = join(root, "dist/tollgate");
    // `npm test` builds it before it runs everything; a file by itself may run without.
    const kind = existsSync(file) ? kindOf(file) : `${process.platform}-${process.arch}`;
    expect(kind).toBe(`${process.platform}-${process.arch}`);
  });
});

describe("the list of what is in the executable", () => {
  const release = {
    version: "1.2.3",
    commit: "abc",
    builtAt: "2026-11-30T00:00:00Z",
    bun: "1.4.5",
  };

  test("names every dependency of server and console, and none of the tests", () => {
    const names = shippedPackages().map((path) => path.replace(/^.*node_modules\//, ""));
    for (const workspace of ["server", "web", "contract"]) {
      const { dependencies } = JSON.parse(
        readFileSync(join(root, workspace, "package.json"), "utf8"),
      );
      const own = Object.keys(dependencies).filter((name) => !name.startsWith("@tollgate/"));
      for (const name of own) expect(names).toContain(name);
    }
    for (const name of ["@playwright/test", "oxlint", "undici"]) expect(names).not.toContain(name);
  });

  test("is CycloneDX: each component once, with version, purl, licence and hash; the same for the same commit", () => {
    const sbom = makeSbom(release);
    expect(sbom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 });
    expect(sbom.serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    const refs = sbom.components.map((component) => component["bom-ref"]);
    expect(new Set(refs).size).toBe(refs.length);
    expect(refs.length).toBeGreaterThan(50);
    for (const component of sbom.components) {
      expect(component.version).toMatch(/^\d/);
      expect(component.purl).toStartWith("pkg:npm/");
    }
    expect(sbom.dependencies[0]?.dependsOn).toEqual(refs);
    expect(makeSbom(release)).toEqual(sbom);
    expect(makeSbom({ ...release, commit: "def" }).serialNumber).not.toBe(sbom.serialNumber);
  });
});
