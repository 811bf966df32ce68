import { Link as RouterLink } from "@tanstack/react-router";
import type { ComponentProps, ComponentType, ReactNode } from "react";
import { below } from "#page/base-path.ts";
import { classes } from "./classes.ts";

/** The target of a link: either a screen of the console or an address outside of it. */
export type LinkTarget =
  | {
      to: string;
      search?: Readonly<Record<string, unknown>> | undefined;
      /** The part of the screen to scroll to, without `#`. */
      hash?: string | undefined;
      href?: undefined;
    }
  | { to?: undefined; search?: undefined; hash?: undefined; href: string };

type Native = Omit<ComponentProps<"a">, "className" | "style" | "href">;

type LinkProps = LinkTarget &
  Native & {
    /**
     * `plain`: the link looks like the text around it until the pointer is over it. `mark`: around a
     * badge, with room for a thumb on a phone.
     */
    look?: "accent" | "plain" | "mark" | undefined;
    children: ReactNode;
  };

// Safe cast: `to` is typed by the routes of `app/screens.ts`, which the kit does not know, so here
// any path is allowed.
const AnyLink = RouterLink as unknown as ComponentType<
  Native & {
    to: string;
    search?: Readonly<Record<string, unknown>>;
    hash?: string;
    className: string;
  }
>;

/**
 * A link: to a screen of the console through the router, to other addresses as an ordinary link
 * with safe attributes.
 */
export function Anchor(props: LinkTarget & Native & { className: string }) {
  const { to, search, hash, href, ...rest } = props;
  if (to !== undefined) {
    return (
      <AnyLink
        {...rest}
        to={to}
        {...(search === undefined ? {} : { search })}
        {...(hash === undefined ? {} : { hash })}
      />
    );
  }
  const outside = /^[a-z]+:/i.test(href);
  const elsewhere = outside ? { target: "_blank", rel: "noopener noreferrer" } : {};
  return <a {...elsewhere} {...rest} href={/^\/(?!\/)/.test(href) ? below(href) : href} />;
}

export function Link(props: LinkProps) {
  const { look = "accent", ...rest } = props;
  return (
    <Anchor
      {...rest}
      className={classes(
        "rounded-inner underline-offset-3",
        look === "accent"
          ? "text-accent-ink underline decoration-accent-line hover:decoration-current"
          : "hover:underline",
        look === "mark" && "max-md:inline-flex max-md:min-h-8 max-md:min-w-8 max-md:items-center",
      )}
    />
  );
}
