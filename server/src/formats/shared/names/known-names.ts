/**
 * Names that the APIs document: fields of requests, kinds of tools, types of parts and items. Only
 * these are named where something of a client's is told or stored; any other name is its text.
 * Gathered from the recorded exchanges and from what the formats here read and write. A documented
 * name that is missing is counted, not named.
 */

const fields = `
  audio audioTimestamp background best_of betas cache_control candidateCount chat_template_kwargs
  chunking_strategy citations clear_thinking container contents context_management conversation
  deferred do_sample document_image_limit document_page_limit echo effort enable_search
  enable_thinking enableAffectiveDialog enableEnhancedCivicAnswers extra_body fallbacks
  frequency_penalty frequencyPenalty function_call functions generation_config generationConfig
  guardrailConfig guided_choice guided_json guided_regex ignore_eos image_config imageConfig
  include incremental_output inference_geo input instructions keep_alive labels length_penalty
  logit_bias logprobs max_completion_tokens max_output_tokens max_tokens max_tool_calls
  mcp_servers media_resolution mediaResolution messages metadata metadata_filter min_p min_tokens
  modalities model modelArmorConfig models modelSelectionConfig moderation n output_config
  output_format parallel_tool_calls plugins prediction presence_penalty presencePenalty preset
  previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention
  prompt_mode provider random_seed reasoning reasoning_effort reasoning_format repetition_penalty
  request_id response_format responseFormat responseJsonSchema responseLogprobs responseMimeType
  responseModalities responseSchema result_format route routingConfig safe_prompt
  safety_identifier safety_settings safetySettings search_options search_parameters seed
  service_tier serviceTier skip_special_tokens source speechConfig speed stop stop_sequences
  stop_token_ids stopSequences store stream stream_options suffix system system_instruction
  systemInstruction temperature text thinking thinking_budget thinking_mode thinkingConfig
  tool_choice tool_config tool_stream toolConfig tools top_a top_k top_logprobs top_p topK topP
  transforms translationConfig truncation user user_profile_id verbosity web_search_options
`;

const tools = `
  advisor apply_patch bash code_execution code_interpreter codeExecution computer computer_use
  computer_use_preview computerUse custom enterpriseWebSearch file_search fileSearch function
  google_maps google_search googleMaps googleSearch googleSearchRetrieval image_generation
  local_shell mcp mcp_toolset memory namespace openrouter:web_search programmatic_tool_calling
  retrieval shell str_replace_based_edit_tool str_replace_editor text_editor tool_search
  tool_search_tool_bm tool_search_tool_bm25 tool_search_tool_regex url_context urlContext
  web_fetch web_search web_search_preview
`;

const parts = `
  additional_tools apply_patch_call apply_patch_call_output audio bash_code_execution_tool_result
  code_execution_tool_result code_interpreter_call codeExecutionResult compaction
  compaction_summary compaction_trigger computer_call computer_call_output computer_screenshot
  connector_text container_upload custom_tool_call custom_tool_call_output document
  encrypted_content executableCode fallback file file_search_call file_url fileData
  function_call_output functionCall functionResponse image image_file image_generation_call
  image_url inlineData input_audio input_file input_image input_text input_video item_reference
  local_shell_call local_shell_call_output mcp_approval_request mcp_approval_response mcp_call
  mcp_list_tools mcp_tool_result mcp_tool_use message output_audio output_image output_text
  partMetadata program program_output reasoning_text redacted_thinking refusal search_result
  server_tool_use shell_call shell_call_output summary_text text_editor_code_execution_tool_result
  thought tool_call tool_reference tool_result tool_search_call tool_search_output
  tool_search_tool_result tool_use toolCall toolResponse video video_url videoMetadata
  web_fetch_tool_result web_search_call web_search_tool_result
`;

const known: ReadonlySet<string> = new Set(
  [fields, tools, parts].flatMap((names) => names.trim().split(/\s+/)),
);

/** The longest name with a date behind it, in characters. */
const lengthMax = 56;

/** Whether the name is documented, alone or with a date or version behind it. */
export function isKnownName(name: string): boolean {
  if (name.length > lengthMax) return false;
  if (known.has(name)) return true;
  let end = name.length;
  while (end > 0 && isDated(name.charCodeAt(end - 1))) end -= 1;
  return known.has(name.slice(0, end));
}

/** Whether a date may have this character: a digit or an underscore. */
function isDated(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x5f;
}
