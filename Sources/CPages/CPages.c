/*
 * Each file of Sources/Pages, byte for byte. The compiler notes each as a dependency: a changed page is a rebuild.
 * `#embed` is read as one literal; the same 300 KiB as a Swift array took seconds of every build.
 * That no file is missing here is a test of its own.
 */
#include "CPages.h"

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"

static const struct belfry_page pages[] = {
    {"assets/base.css", (const unsigned char[]) {
#embed "../Pages/assets/base.css" suffix(, 0)
    }},
    {"assets/common/again.js", (const unsigned char[]) {
#embed "../Pages/assets/common/again.js" suffix(, 0)
    }},
    {"assets/common/changes.js", (const unsigned char[]) {
#embed "../Pages/assets/common/changes.js" suffix(, 0)
    }},
    {"assets/common/controls.js", (const unsigned char[]) {
#embed "../Pages/assets/common/controls.js" suffix(, 0)
    }},
    {"assets/common/dom.js", (const unsigned char[]) {
#embed "../Pages/assets/common/dom.js" suffix(, 0)
    }},
    {"assets/common/door.js", (const unsigned char[]) {
#embed "../Pages/assets/common/door.js" suffix(, 0)
    }},
    {"assets/common/fields.js", (const unsigned char[]) {
#embed "../Pages/assets/common/fields.js" suffix(, 0)
    }},
    {"assets/common/sections.js", (const unsigned char[]) {
#embed "../Pages/assets/common/sections.js" suffix(, 0)
    }},
    {"assets/common/storage.js", (const unsigned char[]) {
#embed "../Pages/assets/common/storage.js" suffix(, 0)
    }},
    {"assets/common/stream.js", (const unsigned char[]) {
#embed "../Pages/assets/common/stream.js" suffix(, 0)
    }},
    {"assets/common/text.js", (const unsigned char[]) {
#embed "../Pages/assets/common/text.js" suffix(, 0)
    }},
    {"assets/common/time.js", (const unsigned char[]) {
#embed "../Pages/assets/common/time.js" suffix(, 0)
    }},
    {"assets/common/trial.js", (const unsigned char[]) {
#embed "../Pages/assets/common/trial.js" suffix(, 0)
    }},
    {"assets/common/week.js", (const unsigned char[]) {
#embed "../Pages/assets/common/week.js" suffix(, 0)
    }},
    {"assets/common/words.js", (const unsigned char[]) {
#embed "../Pages/assets/common/words.js" suffix(, 0)
    }},
    {"assets/console.css", (const unsigned char[]) {
#embed "../Pages/assets/console.css" suffix(, 0)
    }},
    {"assets/console/agenda.js", (const unsigned char[]) {
#embed "../Pages/assets/console/agenda.js" suffix(, 0)
    }},
    {"assets/console/app.js", (const unsigned char[]) {
#embed "../Pages/assets/console/app.js" suffix(, 0)
    }},
    {"assets/console/chart.js", (const unsigned char[]) {
#embed "../Pages/assets/console/chart.js" suffix(, 0)
    }},
    {"assets/console/day.js", (const unsigned char[]) {
#embed "../Pages/assets/console/day.js" suffix(, 0)
    }},
    {"assets/console/devices.js", (const unsigned char[]) {
#embed "../Pages/assets/console/devices.js" suffix(, 0)
    }},
    {"assets/console/drafts.js", (const unsigned char[]) {
#embed "../Pages/assets/console/drafts.js" suffix(, 0)
    }},
    {"assets/console/drawn.js", (const unsigned char[]) {
#embed "../Pages/assets/console/drawn.js" suffix(, 0)
    }},
    {"assets/console/history.js", (const unsigned char[]) {
#embed "../Pages/assets/console/history.js" suffix(, 0)
    }},
    {"assets/console/keys.js", (const unsigned char[]) {
#embed "../Pages/assets/console/keys.js" suffix(, 0)
    }},
    {"assets/console/links.js", (const unsigned char[]) {
#embed "../Pages/assets/console/links.js" suffix(, 0)
    }},
    {"assets/console/live.js", (const unsigned char[]) {
#embed "../Pages/assets/console/live.js" suffix(, 0)
    }},
    {"assets/console/log.js", (const unsigned char[]) {
#embed "../Pages/assets/console/log.js" suffix(, 0)
    }},
    {"assets/console/notice.js", (const unsigned char[]) {
#embed "../Pages/assets/console/notice.js" suffix(, 0)
    }},
    {"assets/console/now.js", (const unsigned char[]) {
#embed "../Pages/assets/console/now.js" suffix(, 0)
    }},
    {"assets/console/numbers.js", (const unsigned char[]) {
#embed "../Pages/assets/console/numbers.js" suffix(, 0)
    }},
    {"assets/console/orders.js", (const unsigned char[]) {
#embed "../Pages/assets/console/orders.js" suffix(, 0)
    }},
    {"assets/console/people.js", (const unsigned char[]) {
#embed "../Pages/assets/console/people.js" suffix(, 0)
    }},
    {"assets/console/person.js", (const unsigned char[]) {
#embed "../Pages/assets/console/person.js" suffix(, 0)
    }},
    {"assets/console/policy.js", (const unsigned char[]) {
#embed "../Pages/assets/console/policy.js" suffix(, 0)
    }},
    {"assets/console/preferences.js", (const unsigned char[]) {
#embed "../Pages/assets/console/preferences.js" suffix(, 0)
    }},
    {"assets/console/rail.js", (const unsigned char[]) {
#embed "../Pages/assets/console/rail.js" suffix(, 0)
    }},
    {"assets/console/router.js", (const unsigned char[]) {
#embed "../Pages/assets/console/router.js" suffix(, 0)
    }},
    {"assets/console/rules.js", (const unsigned char[]) {
#embed "../Pages/assets/console/rules.js" suffix(, 0)
    }},
    {"assets/console/session.js", (const unsigned char[]) {
#embed "../Pages/assets/console/session.js" suffix(, 0)
    }},
    {"assets/console/strip.js", (const unsigned char[]) {
#embed "../Pages/assets/console/strip.js" suffix(, 0)
    }},
    {"assets/console/why.js", (const unsigned char[]) {
#embed "../Pages/assets/console/why.js" suffix(, 0)
    }},
    {"assets/icon.svg", (const unsigned char[]) {
#embed "../Pages/assets/icon.svg" suffix(, 0)
    }},
    {"assets/me.css", (const unsigned char[]) {
#embed "../Pages/assets/me.css" suffix(, 0)
    }},
    {"assets/me/addresses.js", (const unsigned char[]) {
#embed "../Pages/assets/me/addresses.js" suffix(, 0)
    }},
    {"assets/me/app.js", (const unsigned char[]) {
#embed "../Pages/assets/me/app.js" suffix(, 0)
    }},
    {"assets/me/consent.js", (const unsigned char[]) {
#embed "../Pages/assets/me/consent.js" suffix(, 0)
    }},
    {"assets/me/entry.js", (const unsigned char[]) {
#embed "../Pages/assets/me/entry.js" suffix(, 0)
    }},
    {"assets/me/following.js", (const unsigned char[]) {
#embed "../Pages/assets/me/following.js" suffix(, 0)
    }},
    {"assets/me/history.js", (const unsigned char[]) {
#embed "../Pages/assets/me/history.js" suffix(, 0)
    }},
    {"assets/me/page.js", (const unsigned char[]) {
#embed "../Pages/assets/me/page.js" suffix(, 0)
    }},
    {"assets/me/reasons.js", (const unsigned char[]) {
#embed "../Pages/assets/me/reasons.js" suffix(, 0)
    }},
    {"assets/me/test.js", (const unsigned char[]) {
#embed "../Pages/assets/me/test.js" suffix(, 0)
    }},
    {"console.html", (const unsigned char[]) {
#embed "../Pages/console.html" suffix(, 0)
    }},
    {"me.html", (const unsigned char[]) {
#embed "../Pages/me.html" suffix(, 0)
    }},
    {0, 0},
};

#pragma clang diagnostic pop

const struct belfry_page *belfry_pages(void) { return pages; }
