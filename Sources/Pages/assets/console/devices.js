import { h } from "../common/dom.js";
import { chip, empty, table } from "../common/controls.js";
import { person } from "../common/door.js";
import { id, said } from "../common/text.js";
import { stamp } from "../common/time.js";
import { plain } from "../common/words.js";

/** By what a person can be reached: devices, mail, number. */
export async function devicesTab({ door, user, signal, state }) {
  const settings = await door.get(`${person(user)}/settings`, { signal });
  const channels = settings.sections.find((section) => section.name === "channels") ?? {};
  const zone = (await state).timezone;
  const devices = channels.devices ?? [];
  const phone = channels.phone;
  const reachesByPush = (await state).reachable?.includes("push");
  return h("div", { class: "stack" },
    h("div", { class: "sheet flush" }, devices.length === 0
      ? empty("No device", reachesByPush
        ? "The app has registered none. Push goes out all the same, to whoever sends it for the app."
        : "Push reaches them once the app registers one.")
      : table("Devices", [
        { label: "Device", cell: (one) => id(one.device) },
        { label: "Platform", cell: (one) => one.platform ? said(one.platform) : "–" },
        { label: "Registered", cell: (one) => stamp(one.registered_at, { zone }) },
        { label: "State", cell: (one) => one.alive ? chip("Alive", "good") : chip("Dead", "bad") },
      ], devices, { stacks: "labels" })),
    h("section", { class: "sheet", "aria-labelledby": "addresses" }, h("h2", { id: "addresses" }, "Addresses"),
      h("dl", { class: "pairs" },
        h("dt", null, "Email"), h("dd", null, channels.email ? said(channels.email) : "none is known"),
        h("dt", null, "Phone"), h("dd", { class: "row" }, phone?.number ? [said(phone.number), phone.verified ? chip("Verified", "good") : chip("Not verified", "wait")] : "none is known",
          phone?.locked_until && ["Locked until ", stamp(phone.locked_until, { zone })]),
        h("dt", null, "Push"), h("dd", null, plain((await state).permission ?? "unknown")))));
}
