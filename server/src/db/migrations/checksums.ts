import type { Dialect } from "#db/dialect.ts";

/**
 * The checksum of each migration's SQL, sorted. A new migration adds its line, which the test of
 * the schema prints. A line is never changed after the release, because databases were made with
 * that SQL.
 */
export const checksums: Readonly<Record<string, Readonly<Record<Dialect, string>>>> = {
  "20261121-1500-foundation": {
    postgres: "b980df8171992ce325789dba1d172a0e",
    sqlite: "fbb5bfb3a4c9b15fd7838eaf0ccdef0a",
  },
  "20261121-1510-ledger": {
    postgres: "4237a8bcaac5aa7478277f8a63a66e02",
    sqlite: "99fe59558c6eb99b80a7f5335ad4f5f2",
  },
  "20261121-1933-sign-in": {
    postgres: "cf0421b170c64dd09c367125fa21ff02",
    sqlite: "0c33ba7348e54d30d4ce8a6376ad4f30",
  },
  "20261121-1935-affiliates": {
    postgres: "e057ae5ff6955905bab21d90287d7a57",
    sqlite: "0d1cd8cd8b8eb2578e1ead17b44b57b4",
  },
  "20261121-1945-notifications": {
    postgres: "9be3fd150903950852bed71745adc85c",
    sqlite: "78fcb76175a5d9a337c6b8a8a59c57be",
  },
  "20261121-2000-second-factor": {
    postgres: "4d6fcbc733d4b860a6335c690b1723ad",
    sqlite: "99876678106c6b1f1a3370fed3fd558c",
  },
  "20261121-2135-passwords": {
    postgres: "27b5ce03ab2a00a352b6427058b91b3c",
    sqlite: "8abfa7221fb47151e64065f41ffd43df",
  },
  "20261122-1220-broadcasts": {
    postgres: "fcba2759c937e0c6ee0e365987d94f38",
    sqlite: "d2f96750943ce78324925e0dcafeaffb",
  },
  "20261122-2245-notice-settings": {
    postgres: "99fbece4873013005ccb6deea4fb2e82",
    sqlite: "debc013bc3efa600af35d47c6f0fb316",
  },
  "20261122-2300-nodes": {
    postgres: "e3656a9b007f4b42de53e086546b9852",
    sqlite: "6173f55c4c0d36a86252af8216f5a58c",
  },
  "20261123-0150-username-keys": {
    postgres: "c583e0f25aae4e91fd7e15c8025a3f28",
    sqlite: "f288caf322e08b136eb265662e17be4f",
  },
  "20261123-0200-user-language": {
    postgres: "911ab07260c72a75af367d4aa13fba34",
    sqlite: "911ab07260c72a75af367d4aa13fba34",
  },
  "20261123-0210-reversals": {
    postgres: "95e7ab717086156ad062114533b4733f",
    sqlite: "b54c1d54c4937c75d07bf32c9dc87e5a",
  },
  "20261123-0235-given-passwords": {
    postgres: "9f8489b346ad303fe6ab44f4bc4dbb3b",
    sqlite: "89331a2ac2eb39a33235f2264700ba39",
  },
  "20261123-0500-checklist": {
    postgres: "af9a20cf3e2aacd424ec3d15fa588191",
    sqlite: "36447394ae2201facfa7a36178fc1d62",
  },
  "20261123-0830-channel-tests": {
    postgres: "6b31548e9211b5aee837f5c017c4ea0f",
    sqlite: "6b31548e9211b5aee837f5c017c4ea0f",
  },
  "20261123-0845-channel-hours": {
    postgres: "367c72c3da6836322371ef4d9c004d59",
    sqlite: "907a102bcfa33c557b579c1b65c95c94",
  },
  "20261123-0902-usage-totals": {
    postgres: "405380b365d1127daf323e2101517eb2",
    sqlite: "a85838c11f80a93af9869812f6412343",
  },
  "20261123-0925-unsent-notices": {
    postgres: "eebb5fa6b5869a1cfa01040e30e52cc0",
    sqlite: "47a54ff11a04b4448b1c6a629e32c09d",
  },
  "20261123-0935-token-extras": {
    postgres: "363d021a5e3cf7ab080ba346d5c3433d",
    sqlite: "9f0b320edef5e597ee7bc87ee30fe736",
  },
  "20261123-0936-budgets": {
    postgres: "6f453bdbab063b14d4802704e6643d2e",
    sqlite: "8b9fbabdf9d48dc7ea5fc873cff4800f",
  },
  "20261123-1105-redemptions": {
    postgres: "319d5ba2055250e60335dcd5546da3aa",
    sqlite: "9739049393c60de2c600bd7186af12ef",
  },
  "20261123-1110-token-rotation": {
    postgres: "3e1ba15bbf67f492b928aa0cc528daa1",
    sqlite: "93679bb0baca6a1979ed852f205e3277",
  },
  "20261123-1215-more-notices": {
    postgres: "f76b5870503e3e6095009955bd2e9b0f",
    sqlite: "930e2922ddb9b1f314ecd7ad1edaed36",
  },
  "20261123-1241-orders": {
    postgres: "7c487b6582a78afd0aabf17200af70ff",
    sqlite: "b72d396424371de81629e02545949ccc",
  },
  "20261123-1242-order-refunds": {
    postgres: "84e4ffe32ca44618fcf5b8c74812ab21",
    sqlite: "17581b13f8f572296b0092f7b544657f",
  },
  "20261123-1245-channel-days": {
    postgres: "4f0b72b25f1fae10b17d1026096fe2d0",
    sqlite: "155439d2091b852a31f2b4d0b7455cc7",
  },
  "20261123-1258-tasks": {
    postgres: "4182a0ebdacad1ba2da2cd3e2bc6bbe7",
    sqlite: "07efccd043364485bd942c92dfc0fb9a",
  },
  "20261123-1425-agents": {
    postgres: "d209de42d21a21283968912328ac712f",
    sqlite: "d0b523cc4cdb86f7ffec21a5bbf75000",
  },
  "20261123-1501-debts": {
    postgres: "160a5a8682f68470d8a0ab9f9641a445",
    sqlite: "bd891056d4117154b0e21ed84945615e",
  },
  "20261123-1510-disputes": {
    postgres: "dd63c8c94f46f920ceb256610b495a66",
    sqlite: "dd63c8c94f46f920ceb256610b495a66",
  },
  "20261123-1610-caller-totals": {
    postgres: "ef5549a2cb0aa746ecc3f5f42384bcab",
    sqlite: "09932311521edff5513dec7c5f9b7f3f",
  },
  "20261123-1740-unsent-budget-notices": {
    postgres: "1d3fa350d5944750eb2f1e4bfaa6723a",
    sqlite: "2c33071e18409cf6e5f513c05514fdcc",
  },
  "20261123-1745-row-hashes": {
    postgres: "9dd1daeda17afd005cec64553884c01c",
    sqlite: "593ecb11d165feafd8d70233022742aa",
  },
  "20261123-1810-issued": {
    postgres: "88466e63da1736f54665a5a652041f2a",
    sqlite: "b02e408e8e61f8bfd507b168bb576c77",
  },
  "20261129-0413-noted-rows": {
    postgres: "a36af244d50251e2141bff248221f2a1",
    sqlite: "663a537b095dd409be058c5a05b361a3",
  },
  "20261129-0423-cleaned-hours": {
    postgres: "eab71cceb14f9592928aa885cf67071e",
    sqlite: "2bf6ecde5ed6cbb6698378abc6a55ddc",
  },
  "20261129-1953-seen-output": {
    postgres: "7a6bd8121cf1934d73900d29928b4b9a",
    sqlite: "540532703848276ef4cfac2f5bd7b3bc",
  },
  "20261129-2013-change-marks": {
    postgres: "0782172bf079934fc34bf7e806aaf041",
    sqlite: "0782172bf079934fc34bf7e806aaf041",
  },
  "20261129-2017-shared-ids": {
    postgres: "9400a94b0c05b450aab0a40756d745db",
    sqlite: "56911b9d4ec9a7bd54a4398c745f7766",
  },
  "20261129-2151-earlier-logs": {
    postgres: "c8bb038c1d86ace5fb5d39bd8b02e581",
    sqlite: "b6e242c4fdecd1527d72c819d15a8e76",
  },
  "20261129-2317-price-reasons": {
    postgres: "f4018f4fb124a24b1bdd622e22bdf3dc",
    sqlite: "f4018f4fb124a24b1bdd622e22bdf3dc",
  },
  "20261129-2337-costs": {
    postgres: "cdd37d9956bd638a75c2889860db892d",
    sqlite: "17657c1882e7175198024218a13aca14",
  },
  "20261130-0219-error-language": {
    postgres: "dd5f6a8653005d3517e58e4fe309056d",
    sqlite: "dd5f6a8653005d3517e58e4fe309056d",
  },
  "20261130-0237-configured-things": {
    postgres: "d1ec4c390505ac1e4c0231687b952aee",
    sqlite: "931ed24d1c1f5091715b56ea9ee1b29a",
  },
  "20261130-0257-upstream-request-id": {
    postgres: "4c4d4e6937abaf82cf963cfc0d1caa37",
    sqlite: "4c4d4e6937abaf82cf963cfc0d1caa37",
  },
  "20261130-0331-journal": {
    postgres: "e30680aa8e5ef5752eeaa46fcbdd9d5b",
    sqlite: "caf13e05c9f876121a8aa9d001625ed4",
  },
  "20261130-0443-imports": {
    postgres: "8cef0f916309aa56b941b3b4a297da60",
    sqlite: "1df49b1fcd5b64986d5e75eef9b58979",
  },
  "20261201-0307-conversations": {
    postgres: "7833bf3aebdb8f3fea4617f25f09b419",
    sqlite: "3c6d3e534f5bd55c33fd0b75cda3d77c",
  },
  "20261201-0347-live": {
    postgres: "f6a5f72cae9246b5fb5d9257294c0977",
    sqlite: "96724453a4944c502c98ec39fda3ab7a",
  },
  "20261201-0347-moving": {
    postgres: "6371b30e9c06d8f13e1f931d5e2bfa68",
    sqlite: "d898fbdf5fb29c092f5a81cbb72deb15",
  },
  "20261201-0347-price-sources": {
    postgres: "aa255b27004ce76e4b789e8410830e00",
    sqlite: "873fea286d02a84f05879df4e779c76c",
  },
  "20261201-0417-rerates": {
    postgres: "930b50417a48a20d75f34f00071e0432",
    sqlite: "7cf5251f54f080fad61bf0eaf1e043e7",
  },
  "20261201-0417-shared-limits": {
    postgres: "ae27b4c15d87fabf4dee015333b01231",
    sqlite: "07d08180794300c3b6b59442260c6390",
  },
  "20261201-0419-candidates": {
    postgres: "7c1db5f282d793f6baf048d5ac7adfb2",
    sqlite: "7c1db5f282d793f6baf048d5ac7adfb2",
  },
  "20261202-0353-cached-input": {
    postgres: "475ed98ebf6c1d143778f99a9f283117",
    sqlite: "3ab1187650a9bf2af11ca65e77c364b3",
  },
  "20261202-0453-node-hints": {
    postgres: "4c5832918b3a007ef09ad6817fabc4f0",
    sqlite: "0cbb2faae41ef011d134c26f7a62e43e",
  },
  "20261202-0913-endings": {
    postgres: "f4ee015a86f050c4ca5d715c0088554d",
    sqlite: "0fbcd132f45360fbc66e1698f66e61cc",
  },
  "20261202-0927-saved-views": {
    postgres: "6ce68f5c9f315b9f75d4f38e4c0c097e",
    sqlite: "bf4d066680b7844ea69a178a065a20fd",
  },
  "20261203-1137-tags": {
    postgres: "c875d619c8373d6842f3f8213f944fc6",
    sqlite: "b4127dc6ad5ff94743b529c08d5706f0",
  },
  "20261204-0110-interrupted-tags": {
    postgres: "693f1754d49935f597b020639ac34902",
    sqlite: "693f1754d49935f597b020639ac34902",
  },
  "20261204-1005-organisations": {
    postgres: "0c9695b977cb2a30eb2ef64a53434245",
    sqlite: "a6375510c23e6a66d8647a7d7c15c748",
  },
};
