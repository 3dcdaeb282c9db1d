// A store in memory for @aws-lambda-powertools/idempotency: the least that it takes.
import {
  IdempotencyItemAlreadyExistsError,
  IdempotencyItemNotFoundError,
  IdempotencyRecordStatus,
} from "@aws-lambda-powertools/idempotency";
import { BasePersistenceLayer, IdempotencyRecord } from "@aws-lambda-powertools/idempotency/persistence";

/** The least that powertools takes for a store. */
export class Memory extends BasePersistenceLayer {
  #records = new Map();

  async _putRecord(record) {
    const found = this.#records.get(record.idempotencyKey);
    if (found !== undefined && found.status !== IdempotencyRecordStatus.EXPIRED)
      throw new IdempotencyItemAlreadyExistsError("it is there", new IdempotencyRecord(found));
    this.#keep(record);
  }

  async _updateRecord(record) {
    this.#keep(record);
  }

  async _getRecord(key) {
    const found = this.#records.get(key);
    if (found === undefined) throw new IdempotencyItemNotFoundError();
    return new IdempotencyRecord(found);
  }

  async _deleteRecord({ idempotencyKey }) {
    this.#records.delete(idempotencyKey);
  }

  #keep(record) {
    const { idempotencyKey, expiryTimestamp, inProgressExpiryTimestamp, responseData, payloadHash } = record;
    this.#records.set(idempotencyKey, {
      idempotencyKey,
      status: record.getStatus(),
      expiryTimestamp,
      inProgressExpiryTimestamp,
      responseData,
      payloadHash,
    });
  }
}
