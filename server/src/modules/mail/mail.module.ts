import { defineModule, type Given } from "#modules/module.ts";
import { mailHandlers } from "./mail.handlers.ts";
import { openMail } from "./smtp.ts";

export const mailModule = mailModuleBy(openMail);

/**
 * Makes the mail module.
 * @param open opens the sender of e-mails; tests give a stand-in that keeps the e-mails.
 */
export function mailModuleBy(open: typeof openMail) {
  return defineModule({
    needs: [],
    open({ options, limits, log, network }: Given) {
      const mail = open({ readOption: options.read, addresses: network.addresses, log });
      return { handlers: mailHandlers({ mail, readOption: options.read, limits }), face: mail };
    },
  });
}
