/** The Helm chart, rendered: what a pod needs to take and give back calls well. */

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { renderChart } from "./helm-chart.ts";

const chart = join(import.meta.dir, "../../../docs/operate/helm/tollgate");
const values = z
  .record(z.string(), z.unknown())
  .parse(Bun.YAML.parse(readFileSync(join(chart, "values.yaml"), "utf8")));

const container = z.looseObject({
  image: z.string(),
  args: z.array(z.string()).optional(),
  envFrom: z.array(z.object({ secretRef: z.object({ name: z.string() }) })),
  env: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
  securityContext: z.looseObject({ readOnlyRootFilesystem: z.literal(true) }),
});
const deployment = z.looseObject({
  spec: z.looseObject({
    replicas: z.number(),
    template: z.looseObject({
      spec: z.looseObject({
        containers: z.array(container),
        initContainers: z.array(container).optional(),
        volumes: z.array(z.looseObject({ name: z.string() })),
      }),
    }),
  }),
});

test("as it stands it needs one secret, spreads its nodes, and takes away one at a time", () => {
  const made = renderChart(chart, values);
  expect([...made.keys()].toSorted()).toEqual(["Deployment", "PodDisruptionBudget", "Service"]);
  expect(made.get("PodDisruptionBudget")).toMatchObject({ spec: { maxUnavailable: 1 } });
  const { spec } = deployment.parse(made.get("Deployment"));
  expect(spec).toMatchObject({
    replicas: 2,
    strategy: { rollingUpdate: { maxUnavailable: 0 } },
    template: {
      spec: {
        terminationGracePeriodSeconds: 610,
        securityContext: { runAsUser: 10_001, runAsNonRoot: true },
        topologySpreadConstraints: [{ topologyKey: "kubernetes.io/hostname" }],
      },
    },
  });
  const [main] = spec.template.spec.containers;
  expect(main).toMatchObject({
    image: "tollgate:0.1.0",
    envFrom: [{ secretRef: { name: "tollgate" } }],
    readinessProbe: { httpGet: { path: "/readyz", port: "http" } },
    startupProbe: { httpGet: { path: "/readyz" } },
    livenessProbe: { httpGet: { path: "/healthz" } },
    lifecycle: { preStop: { sleep: { seconds: 5 } } },
  });
  const settings = readFileSync(join(chart, "../../settings.md"), "utf8");
  for (const { name } of main?.env ?? []) expect(settings).toContain(`\`${name}\``);
  expect(spec.template.spec.initContainers).toBeUndefined();
  // No secret is written out.
  expect(JSON.stringify([...made.values()])).not.toMatch(/postgres:\/\/|TOLLGATE_SECRET_KEY/);
});

test("files are applied before a node starts, and a host is served over TLS", () => {
  const made = renderChart(chart, {
    ...values,
    configuration: { "shop.yaml": "options:\n  RetryTimes: 3\n" },
    configurationSecret: "shop-secrets",
    ingress: {
      ...Object(values["ingress"]),
      enabled: true,
      host: "a.example.com",
      tlsSecret: "tls",
    },
  });
  expect(made.get("ConfigMap")).toMatchObject({
    metadata: { name: "shop-configuration" },
    data: { "shop.yaml": "options:\n  RetryTimes: 3\n" },
  });
  const { spec } = deployment.parse(made.get("Deployment"));
  expect(spec.template.spec.initContainers).toMatchObject([
    {
      args: ["apply", "/etc/tollgate"],
      envFrom: [{ secretRef: { name: "tollgate" } }, { secretRef: { name: "shop-secrets" } }],
    },
  ]);
  expect(spec.template.spec.volumes).toContainEqual({
    name: "configuration",
    configMap: { name: "shop-configuration" },
  });
  expect(made.get("Ingress")).toMatchObject({
    spec: { tls: [{ hosts: ["a.example.com"], secretName: "tls" }] },
  });
});
