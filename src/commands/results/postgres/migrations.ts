/**
 * The versions of the tables in PostgreSQL, each with what leads to it. What was published is never changed: a later
 * version is added.
 *
 * All that is asked of a row is one statement, most often a call of a function: each sees what is committed when it runs, and none
 * holds anything from one statement to the next, so a pooler may give each to another backend.
 */

/** One step. */
export interface Migration {
  /** From 1, without gaps. */
  readonly version: number;
  readonly what: string;
  readonly sql: string;
}

const TABLES = `
create sequence mspkit.command_epochs as bigint;

create table mspkit.command_results (
  key text collate "C" primary key,
  scope text collate "C" not null,
  id_time bigint,
  epoch bigint not null default nextval('mspkit.command_epochs'),
  claim text not null,
  signature text,
  deadline timestamptz not null,
  effects integer not null default 0,
  result text,
  settled_at timestamptz
) with (fillfactor = 80);

create table mspkit.command_watermarks (
  scope text collate "C" primary key,
  id_time bigint not null
);

-- One row: who holds it forgets.
create table mspkit.command_forgetting (what text collate "C" primary key);
insert into mspkit.command_forgetting values ('results of commands');
`;

/**
 * What is asked most often answers with one text, which takes a backend and a client less than a row does:
 * \`claim_command\` with the epoch of the claim, \`expired\`, \`full\`, or what stands there as JSON; \`settle_command\` with
 * null where it settled, else with what stands there as JSON.
 *
 * Each expression of a function is made ready anew in every transaction: there are few on the way that is most often gone.
 *
 * In \`claim_command\` the watermark is asked again after the row was written: what forgets raises it and deletes in one
 * transaction, so a row could only be written anew if the watermark can be seen by then. That needs each statement to
 * see what is committed when it runs.
 */
const FUNCTIONS = `
create function mspkit.abandon_command(p_key text, p_abandoned text) returns void
language plpgsql volatile as $$
begin
  -- Who is in the way holds the row for an effect, or abandons it too.
  perform 1 from mspkit.command_results c
    where c.key = p_key and c.result is null and c.deadline <= clock_timestamp() for update skip locked;
  if found then
    update mspkit.command_results c set result = p_abandoned, settled_at = clock_timestamp()
      where c.key = p_key and c.result is null and c.deadline <= clock_timestamp();
  end if;
end $$;

create function mspkit.claim_command(
  p_key text, p_scope text, p_time bigint, p_claim text, p_signature text, p_ms double precision,
  p_abandoned text, p_full boolean
) returns text language plpgsql volatile as $$
declare
  answer text;
  found_claim text;
  found_signature text;
  found_result text;
  late boolean;
begin
  if current_setting('transaction_isolation') <> 'read committed'
      or current_setting('synchronous_commit') in ('off', 'local') then
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'results of commands need transactions that read what is committed' using errcode = '25001';
    end if;
    perform set_config('synchronous_commit', 'on', true);
  end if;
  loop
    insert into mspkit.command_results (key, scope, id_time, claim, signature, deadline)
      select p_key, p_scope, p_time, p_claim, p_signature, clock_timestamp() + p_ms * interval '1 millisecond'
      where not p_full and (p_time is null or not exists
        (select 1 from mspkit.command_watermarks w where w.scope = p_scope and w.id_time >= p_time))
      on conflict (key) do nothing
      returning command_results.epoch into answer;
    if found then
      if p_time is null then
        return answer;
      elsif exists (select 1 from mspkit.command_watermarks w where w.scope = p_scope and w.id_time >= p_time) then
        delete from mspkit.command_results c where c.key = p_key and c.claim = p_claim;
        return 'expired';
      end if;
      return answer;
    end if;
    select c.epoch, c.claim, c.signature, c.result, c.deadline <= clock_timestamp()
      into answer, found_claim, found_signature, found_result, late
      from mspkit.command_results c where c.key = p_key;
    if found then
      if found_result is null and late then
        perform mspkit.abandon_command(p_key, p_abandoned);
        select c.signature, c.result into found_signature, found_result
          from mspkit.command_results c where c.key = p_key;
        continue when not found;
      elsif found_result is null and found_claim = p_claim then
        -- Asked before, and the answer was lost: nobody has begun it. It may be asked for another command now.
        update mspkit.command_results c set signature = p_signature,
            deadline = clock_timestamp() + p_ms * interval '1 millisecond'
          where c.key = p_key and c.claim = p_claim and c.result is null;
        continue when not found;
        return answer;
      end if;
      return json_build_object('signature', found_signature, 'result', found_result);
    end if;
    if p_time is not null and exists
        (select 1 from mspkit.command_watermarks w where w.scope = p_scope and w.id_time >= p_time) then
      return 'expired';
    elsif p_full then
      return 'full';
    end if;
    -- It was released or forgotten in between.
  end loop;
end $$;

create function mspkit.settle_command(
  p_key text, p_claim text, p_epoch bigint, p_result text, p_abandoned text
) returns text language plpgsql volatile as $$
declare
  found_claim text;
  found_result text;
  late boolean;
begin
  if current_setting('synchronous_commit') in ('off', 'local') then
    perform set_config('synchronous_commit', 'on', true);
  end if;
  update mspkit.command_results c set result = p_result, settled_at = clock_timestamp()
    where c.key = p_key and c.claim = p_claim and c.epoch = p_epoch and c.result is null
      and c.deadline > clock_timestamp()
    returning c.deadline <= clock_timestamp() into late;
  if not late then
    return null;
  end if;
  if late then
    -- It waited over the deadline for an effect of which nothing was kept.
    update mspkit.command_results c set result = p_abandoned, settled_at = clock_timestamp() where c.key = p_key;
  else
    -- An effect of this very claim may hold the row until its end: what that leaves is what stands. It ends soon.
    perform set_config('lock_timeout', '1s', true);
    perform 1 from mspkit.command_results c where c.key = p_key and c.claim = p_claim and c.result is null for update;
    perform mspkit.abandon_command(p_key, p_abandoned);
  end if;
  select c.claim, c.result into found_claim, found_result from mspkit.command_results c where c.key = p_key;
  return json_build_object('result', found_result, 'ours',
    found_claim = p_claim and found_result is distinct from p_abandoned and found_result is not null);
end $$;

create function mspkit.read_commands(p_keys text[], p_abandoned text)
returns table (key text, signature text, result text) language plpgsql volatile as $$
begin
  perform mspkit.abandon_command(c.key, p_abandoned) from mspkit.command_results c
    where c.key = any (p_keys) and c.result is null and c.deadline <= clock_timestamp();
  return query select c.key::text, c.signature, c.result from mspkit.command_results c where c.key = any (p_keys);
end $$;

create function mspkit.release_command(p_key text, p_claim text, p_epoch bigint) returns boolean
language plpgsql volatile as $$
begin
  delete from mspkit.command_results c
    where c.key = p_key and c.claim = p_claim and c.epoch = p_epoch and c.result is null and c.effects = 0
      and c.deadline > clock_timestamp();
  return found;
end $$;

create function mspkit.forget_commands(
  p_newest bigint, p_age_ms double precision, p_most bigint,
  out forgotten bigint, out settled bigint, out pending bigint
) language plpgsql volatile as $$
declare
  over bigint := 0;
  alone boolean;
begin
  -- Two that forget at once would each forget what is too much: one does, and the other only counts.
  perform 1 from mspkit.command_forgetting for update skip locked;
  alone := found;
  select count(*) filter (where c.result is not null), count(*) filter (where c.result is null)
    into settled, pending from mspkit.command_results c;
  if alone then
    over := case when p_newest is null then p_most else least(settled + pending - p_newest, p_most) end;
  end if;
  with old as (
    select c.key from mspkit.command_results c
      where c.result is not null
        and (p_age_ms is null or c.settled_at <= clock_timestamp() - p_age_ms * interval '1 millisecond')
      order by c.settled_at, c.epoch limit greatest(over, 0) for update skip locked
  ), gone as (
    delete from mspkit.command_results c using old where c.key = old.key returning c.scope, c.id_time
  ), raised as (
    insert into mspkit.command_watermarks as w (scope, id_time)
      select g.scope, max(g.id_time) from gone g where g.id_time is not null group by g.scope order by g.scope
      on conflict (scope) do update set id_time = greatest(w.id_time, excluded.id_time)
  )
  select count(*) into forgotten from gone;
  settled := settled - forgotten;
end $$;
`;

/** All of them, in order. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, what: "results of commands", sql: TABLES + FUNCTIONS },
];
