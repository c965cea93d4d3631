"""The contract of the generated desk: its roles, actors, event types, links and silences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.desk import Size

ROLES = ("agent", "engineer", "lead", "manager", "counsel")

RULES = """gev 1
domain desk "A generated service desk"
timezone "UTC"

use policies.horizon, policies.rbac, policies.participation, policies.legal_privilege
use tracks.perspective, tracks.counterfactual, tracks.silence

subsystem desk, tracker, wiki, code, chat, crm

role agent { reads: [desk, chat, wiki]  hears: [ticket_opened, incident_declared] }
role engineer { reads: [tracker, code, chat, wiki]  hears: [incident_declared, fix_deployed] }
role lead inherits agent { reads: [tracker, crm]  hears: [ticket_escalated, review_published] }
role manager { reads: [crm, desk, chat]  hears: [account_flagged, credit_granted] }
role counsel { reads: [desk, wiki, crm]  hears: [ticket_opened]  clearances: ["privileged"] }

event ticket_opened "ticket" { desk: artifact  severity: text  found by "desk {desk}" }
event ticket_answered "answer" { desk: artifact  chat: artifact }
event note_added "note" { desk: artifact }
event ticket_escalated "escalation" { desk: artifact  tracker: artifact  severity: text }
event incident_declared "incident" { tracker: artifact  chat: artifact }
event work_logged "log of work" { tracker: artifact }
event fix_deployed "fix" { tracker: artifact  code: artifact }
event review_published "review" { tracker: artifact  wiki: artifact }
event account_flagged "warning" { desk: artifact  crm: artifact }
event credit_granted "credit" { desk: artifact  crm: artifact }
event message_sent "message" { chat: artifact }
event change_pushed "change" { code: artifact }
event page_viewed "view of a page" { wiki: artifact }
event survey_answered "survey" { desk: artifact }
event ticket_closed "closing" { desk: artifact }

link escalation_leads_to_fix "The escalation is why the fix was made" {
  cause c: ticket_escalated  effect e: fix_deployed  join c.tracker == e.tracker  within 5d
}
link incident_leads_to_review "The incident is why the review was written" {
  cause c: incident_declared  effect e: review_published  join c.tracker == e.tracker  within 7d
}
link escalation_leads_to_warning "The escalation is why the account was marked" {
  cause c: ticket_escalated  effect e: account_flagged  join c.desk == e.desk  within 7d
}
link warning_helps_credit "A warning makes a credit more likely" {
  cause c: account_flagged  effect e: credit_granted  join c.desk == e.desk  within 7d
  necessity contributing
}
link warning_closes "A warning is enough to close a ticket" {
  cause c: account_flagged  effect e: ticket_closed  join c.desk == e.desk  within 20d
  necessity sufficient
}
link answer_closes "An answer is enough to close a ticket" {
  cause c: ticket_answered  effect e: ticket_closed  join c.desk == e.desk  within 20d
  necessity sufficient
}

silence unanswered_ticket "Every ticket is answered" {
  after t: ticket_opened  expect r: ticket_answered  join t.desk == r.desk  within 2d
  search chat for "answer {t.desk}"  fetch t.desk
}
silence unfixed_escalation "Every escalation ends in a fix" {
  after t: ticket_escalated  expect r: fix_deployed  join t.tracker == r.tracker  within 5d
  search code for "fix {t.tracker}"  fetch t.tracker
}
silence missing_review "Every incident gets a review" {
  after t: incident_declared  expect r: review_published  join t.tracker == r.tracker  within 7d
  search wiki for "review {t.tracker}"  fetch t.tracker
}
"""


def rules(size: Size) -> str:
    """The rule file, with a role for each of the actors; every seventh changes it once."""
    actors = []
    for number in range(size.actors):
        role = ROLES[number % len(ROLES)]
        later = ROLES[(number + 1) % len(ROLES)]
        held = f"{role} until 2025-01-08, {later} from 2025-01-08" if number % 7 == 0 else role
        actors.append(f"actor p{number}: {held}\n")
    return RULES + "\n" + "".join(actors)


def project_file(seed: int, cap: int) -> str:
    """`groundeval.yaml`, with the same cap for every track."""
    caps = f"{{ perspective: {cap}, counterfactual: {cap}, silence: {cap} }}"
    return (
        "contract: desk.gev\nevents: events.jsonl\nartifacts: artifacts.jsonl\n"
        f"output: runs/\nseed: {seed}\ncaps: {caps}\n"
    )
