/** Which groups a user may use. */

import { defineModule, type Given } from "#modules/module.ts";
import { groupHandlers } from "./groups.handlers.ts";
import { type Groups, groupsOpenTo, offerSources, visitorGroup } from "./groups.ts";

export const groupsModule = defineModule({
  needs: [],
  open({ options, snapshot }: Given) {
    const face: Groups = {
      isOpenTo(ownGroup, group) {
        const usable = options.read("UserUsableGroups");
        const ratios = snapshot.prices.list.GroupRatio;
        return groupsOpenTo({ usable, ratios, own: ownGroup || visitorGroup }).has(group);
      },
    };
    return { handlers: groupHandlers(offerSources({ options, snapshot })), face };
  },
});
