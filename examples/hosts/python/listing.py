"""The list of all sessions, page by page."""
import re
from datetime import datetime, timezone

from protocol import MspError


def list_sessions(sessions, params):
    """Rows by the time of their last change, the latest first."""
    since = params.get("updatedAfter")
    if since is not None:
        try:
            moment = datetime.fromisoformat(since.replace("Z", "+00:00"))
        except ValueError:
            raise MspError("invalidParams", "/updatedAfter must be a time") from None
        since = (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp() * 1000
    rows = []
    for session in sessions:
        place = (-session.updated_at, session.session_id.lower())
        row = session.row()
        if since is not None and session.updated_at <= since or not _passes(row, params):
            continue
        rows.append((place, row))
    rows.sort(key=lambda pair: pair[0])
    cursor = params.get("cursor")
    if cursor is not None:
        found = re.fullmatch(r"l:(\d{1,15}):([0-9a-f-]{36})", cursor)
        if found is None:
            raise MspError("notFound", reason="missingAnchor")
        rows = [pair for pair in rows if pair[0] > (-int(found[1]), found[2])]
    limit = max(0, params.get("limit", 50))
    page = rows[: int(limit)]
    more = page and len(rows) > len(page)
    result = {"sessions": [row for _, row in page], "nextCursor": None}
    if more:
        result["nextCursor"] = f"l:{-page[-1][0][0]}:{page[-1][0][1]}"
    if "filter" in params:
        result["appliedFilter"] = params["filter"]
    return result


def _passes(row, params):
    """Whether a row is one that a list was asked for."""
    chosen = params.get("filter", {})
    if params.get("workspaceRoot", row["workspaceRoot"]) != row["workspaceRoot"]:
        return False
    if "sessionId" in chosen and row["sessionId"].lower() not in (id.lower() for id in chosen["sessionId"]["anyOf"]):
        return False
    if "branch" in chosen and None not in chosen["branch"]["anyOf"]:
        return False
    text = chosen.get("text", {"fields": []})
    shown = "\n".join(row.get(field, "") for field in text["fields"]).lower()
    found = [word.lower() in shown for word in text.get("anyOf", [])]
    return all(word.lower() in shown for word in text.get("allOf", [])) and ("anyOf" not in text or any(found))
