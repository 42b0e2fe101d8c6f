/** The bodies of errors that several endpoints share (gaps §2.2, §18). */
export const TOKEN_REQUIRED = { errors: ['Token is required'] };
export const UNAUTHORIZED = { errors: ['Unauthorized'] };
export const NO_SESSION = { errors: { base: ['Required session does not exist'] } };
export const NEED_USER = { errors: { base: ['Forbidden. Need user.'] } };
export const NOT_FOUND = { errors: ["The resource wasn't found"] };
export const MAY_NOT_PERFORM = { errors: ["You don't have appropriate permissions to perform this operation"] };
export const MAY_NOT_DO = { errors: ["You don't have appropriate permissions to do this operation"] };
export const UNDEFINED_CLASS = { errors: ['Undefined class'] };
export const MALFORMED = { errors: ['Malformed request body'] };
export const TOO_COMPLEX = { errors: ['Request parameters are too complex'] };
export const UNSUPPORTED_TYPE = { errors: ['Unsupported content type'] };
export const TOO_LARGE = { errors: ['Request body is too large'] };
export const ONE_CREDENTIAL = { errors: ['Only one of SVC-Token and Authorization may be used'] };
export const ONLY_WITH_KEY = { errors: ['On-Behalf-Of may be used only with an API key'] };
export const BAD_ID = { errors: { id: ['should be a positive integer'] } };
export const BAD_MESSAGE_ID = { errors: ['Invalid or missing "message_id" parameter.'] };
export const BAD_NAME = { errors: ['Invalid or missing "name" parameter.'] };
