"""Faults in who gets what, who hears what, and what comes back; `routing_probe.py` catches each."""

from __future__ import annotations

from tests.faults.fault import Fault

ROUTING, RULES = "channel/routing.py", "channel/rules.py"
SHARING, RESTORING = "channel/sharing.py", "channel/restoring.py"
HOST, TRAIL = "channel/filter_host.py", "channel/trail.py"
SETTINGS, ADJUSTING = "channel/settings.py", "channel/adjusting.py"
LIFECYCLE, FACTORY = "channel/lifecycle.py", "channel/factory.py"

ROUTING_FAULTS = [
    Fault(
        "under OR a consumer needs its admin as well",
        ROUTING,
        "if proxy.attached_filters and admin.operator is Operator.OR:",
        "if proxy.attached_filters and admin.operator is None:",
    ),
    Fault(
        "under OR a matching admin goes past the lists of its consumers",
        ROUTING,
        "for p in admin.either if p.types.passes(domain, type_))",
        "for p in admin.either)",
    ),
    Fault(
        "a list at the admin is forgotten",
        ROUTING,
        "if admin.types.types and not admin.types.passes(domain, type_):\n            return False",
        "pass",
    ),
    Fault(
        "an empty group always stops",
        ROUTING,
        "            if one_is_empty:",
        "            if not one_is_empty:",
    ),
    Fault(
        "filters without constraints ask for nothing at all",
        ROUTING,
        "if options.empty_filter_passes and not all(rule.filters):",
        "if not options.empty_filter_passes and not all(rule.filters):",
    ),
    Fault(
        "who is gone still gets everything",
        ROUTING,
        "if proxy.admin.open_proxies.pop(proxy, self) is None:\n            self._always = None",
        "proxy.admin.open_proxies.pop(proxy, self)",
    ),
    Fault(
        "a change of the plan is not told",
        RULES,
        "        channel.plan, change = channel.plan.changed(proxies=changed)\n"
        "        channel.core.out.append(PlanChanged(channel.id, change))",
        "        channel.plan, change = channel.plan.changed(proxies=changed)",
    ),
    Fault(
        "who is not connected stands in the plan",
        RULES,
        "elif isinstance(holder, Proxy) and holder.connected:",
        "elif isinstance(holder, Proxy):",
    ),
    Fault(
        "filters of a supplier's admin are not asked",
        RULES,
        "bool(proxy.attached_filters or proxy.admin.attached_filters)",
        "bool(proxy.attached_filters)",
    ),
    Fault(
        "what an empty filter lets pass is not wanted",
        RULES,
        "                named.add(ALL_TYPES)",
        "                pass",
    ),
    Fault(
        "the types of a consumer that is gone are still wanted",
        RULES,
        "            tell_suppliers(channel, channel.wants.withdraw(proxy.id))",
        "            pass",
    ),
    Fault(
        "a switched-off client is told",
        SHARING,
        "        if proxy.hears:\n            effect = TellOffers",
        "        if proxy.connected:\n            effect = TellOffers",
    ),
    Fault(
        "asking for the types switches nothing",
        SHARING,
        "    proxy.updates = mode.updates_on\n",
        "",
    ),
    Fault(
        "a consumer admin takes a supplier admin's offers with it",
        LIFECYCLE,
        "        if admin.side is Side.SUPPLIER:\n            tell_consumers",
        "        if admin.side:\n            tell_consumers",
    ),
    Fault(
        "a private filter outlives its last holder",
        HOST,
        "        if hosted.private and not hosted.holders:",
        "        if hosted.private and hosted.holders:",
    ),
    Fault(
        "a filter that nobody holds or uses stays",
        HOST,
        "            self.remove(self.filters[id])\n            self.unheld",
        "            self.unheld",
    ),
    Fault(
        "a filter ends though it is used",
        "channel/unused.py",
        "        if key in self._used:\n            self.begin(key, now)",
        "        pass",
    ),
    Fault(
        "the proxy of a supplier that has crashed stays",
        LIFECYCLE,
        "            self.unattended.begin(key, now)",
        "            pass",
    ),
    Fault(
        "a channel's name may be read as an id",
        "names.py",
        "    if name.isascii() and name.isdigit():",
        "    if False:",
    ),
    Fault(
        "a service may have any number of filters",
        SETTINGS,
        "    if there >= most:",
        "    if False:",
    ),
    Fault(
        "the first of two attachments that goes takes the filter with it",
        HOST,
        "if hosted is None or id in holder.filter_ids:",
        "if hosted is None:",
    ),
    Fault(
        "a private filter of a durable holder is not written down",
        HOST,
        "        if survives and not hosted.stored:",
        "        if survives and hosted.stored:",
    ),
    Fault(
        "ids of filters are given again after a restart",
        RESTORING,
        '    filters.reserved = last_id(states, "filters")',
        "    filters.reserved = 0",
    ),
    Fault(
        "objects come back in the order of their texts",
        RESTORING,
        "key=lambda item: (len(item[0][2]), item[0])",
        "key=lambda item: item[0]",
    ),
    Fault(
        "what a newer version wrote is read",
        RESTORING,
        "    if version != 1:",
        "    if version == 0:",
    ),
    Fault(
        "orphans stay",
        RESTORING,
        "        if hosted.private and not hosted.holders:",
        "        if hosted.private and hosted.id < 0:",
    ),
    Fault(
        "mapping filters are not held after a restart",
        RESTORING,
        "        if state[purpose] in filters.filters:",
        "        if state[purpose] not in filters.filters:",
    ),
    Fault(
        "offers are lost in a restart",
        RESTORING,
        "    if holder.offered:\n",
        "    if not holder.offered:\n",
    ),
    Fault(
        "after a restart the rules begin with an old version",
        FACTORY,
        "versions.get(id, 0) + 1",
        "versions.get(id, 0)",
    ),
    Fault(
        "the trail lets a full channel take the event",
        TRAIL,
        'Step("channel", None, not (too_large or full), reason)',
        'Step("channel", None, not too_large, reason)',
    ),
    Fault(
        "the trail names who is not connected",
        TRAIL,
        "    if not proxy.connected:",
        "    if False:",
    ),
    Fault(
        "nobody checks limits",
        SETTINGS,
        '            _check_number(f"limits.{one.name}", getattr(self, one.name), 1)',
        "            pass",
    ),
    Fault(
        "AnyOrder may stand for itself",
        SETTINGS,
        "            if not getattr(self, name):",
        "            if getattr(self, name) is None:",
    ),
    Fault(
        "EventReliability may be set below whatever the setting",
        SETTINGS,
        "return _EVENTS_BELOW if self.event_reliability_below else NOT_WIDENED",
        "return _EVENTS_BELOW",
    ),
    Fault(
        "a parent that is followed overrides what was set below",
        ADJUSTING,
        "{**place.qos, **child.own} if followed",
        "{**child.own, **place.qos} if followed",
    ),
    Fault(
        "nobody looks whether a child could follow",
        ADJUSTING,
        "            self._check_followers(place, qos)",
        "            pass",
    ),
]
