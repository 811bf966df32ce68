/**
 * Opens the processor's page in its own tab, or in this one if tabs are blocked: posts the form, if
 * it has fields.
 */
export function postForm(
  url: string,
  fields: Readonly<Record<string, string>>,
  tab: Window | null,
): void {
  if (Object.keys(fields).length === 0) {
    (tab ?? window).location.assign(url);
    return;
  }
  const target = tab === null ? "_self" : `pay-${crypto.randomUUID()}`;
  if (tab !== null) tab.name = target;
  const form = document.createElement("form");
  form.method = "post";
  form.action = url;
  form.target = target;
  form.hidden = true;
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement("input");
    input.type = "hidden";
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
  form.remove();
}
