import { defineModule, type Given } from "#modules/module.ts";
import { mailHandlers } from "./mail.handlers.ts";
import { openMail } from "./smtp.ts";

export const mailModule = mailModuleBy(openMail);

/** @param open opens what sends the e-mails; tests keep them instead. */
export function mailModuleBy(open: typeof openMail) {
  return defineModule({
    needs: [],
    open({ options, limits, log, network }: Given) {
      const mail = open({ readOption: options.read, addresses: network.addresses, log });
      return { handlers: mailHandlers({ mail, readOption: options.read, limits }), face: mail };
    },
  });
}
