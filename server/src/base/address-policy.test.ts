import { expect, test } from "bun:test";
import { judgeAddress, judgeUrl, openAddressPolicy } from "./address-policy.ts";

const strict = openAddressPolicy({ privateRanges: [], loopback: false });
const homely = openAddressPolicy({ privateRanges: ["10.1.0.0/16", "fd12::/16"], loopback: true });

// Addresses that the policy `strict` refuses: one of each block, and for some blocks the first and
// the last.
const closed =
  "0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 " +
  "169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.0.1 " +
  "198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 " +
  ":: ::1 ::ffff:127.0.0.1 ::ffff:a00:1 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1 " +
  "2001:db8::1 2002:7f00:1::1 fc00::1 fd12::1 fe80::1 fec0::1 ff02::1 4000::1 3fff::1";

test("P-N1: addresses of private, special and translated blocks are refused", () => {
  for (const address of closed.split(" ")) {
    expect([address, judgeAddress(address, strict)]).toEqual([address, false]);
  }
});

test("public addresses are allowed, also right beside the refused blocks", () => {
  const open =
    "1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 " +
    "172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 " +
    "223.255.255.255 2606:4700:4700::1111 2a00:1450::1 2003::1 ::ffff:8.8.8.8";
  for (const address of open.split(" ")) {
    expect([address, judgeAddress(address, strict)]).toEqual([address, true]);
  }
});

test("P-N2: ranges that the operator listed are allowed, and nothing beside them", () => {
  for (const address of ["10.1.2.3", "fd12::5", "::ffff:10.1.2.3", "127.0.0.1", "::1"]) {
    expect([address, judgeAddress(address, homely)]).toEqual([address, true]);
  }
  for (const address of ["10.2.0.0", "fd13::5", "192.168.0.1"]) {
    expect([address, judgeAddress(address, homely)]).toEqual([address, false]);
  }
});

// At this address cloud providers serve credentials to programs on the machine.
test("P-N2: link-local and metadata addresses are refused even if the operator listed them", () => {
  const all = openAddressPolicy({ privateRanges: ["0.0.0.0/0", "::/0"], loopback: true });
  for (const address of ["169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "fd00:ec2::254"]) {
    expect([address, judgeAddress(address, all)]).toEqual([address, false]);
  }
  expect(judgeAddress("192.168.0.1", all)).toBe(true);
});

test("every spelling of an address is judged as the address a program connects to", () => {
  for (const host of ["2130706433", "0x7f.1", "0177.0.0.1", "127.1", "[::1]", "localhost."]) {
    expect([host, judgeUrl(`http://${host}/v1`, strict)]).toEqual([
      host,
      { ok: false, reason: "address" },
    ]);
  }
  expect(judgeUrl("http://a.localhost", strict).ok).toBe(false);
  expect(judgeUrl("http://localhost:11434", homely).ok).toBe(true);
});

test("only http(s) URLs without user name and password are accepted", () => {
  const reason = (text: string) => {
    const judged = judgeUrl(text, strict);
    return judged.ok ? "open" : judged.reason;
  };
  expect(reason("https://api.example.com/v1?version=1")).toBe("open");
  expect(reason("ftp://api.example.com")).toBe("scheme");
  expect(reason("file:///etc/passwd")).toBe("scheme");
  expect(reason("https://user:pass@api.example.com")).toBe("userinfo");
  expect(reason("https://@api.example.com")).toBe("userinfo");
  for (const text of ["", "api.example.com", "https://a\nb.com", "https:\\\\a.com", "http://a#b"]) {
    expect([text, reason(text)]).toEqual([text, "malformed"]);
  }
});

test("a list with an entry that is no address is refused, and the error names the entry", () => {
  expect(() => openAddressPolicy({ privateRanges: ["10.0.0.0/33"], loopback: false })).toThrow(
    "10.0.0.0/33",
  );
});
