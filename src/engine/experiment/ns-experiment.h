/* The experiment: a shared shape, data and seeds plus a list of variants that differ in wiring only.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every parameter is declared once, in the table that ns_params() returns: key, type, range, choices,
 * default, unit and one help line. Reading and writing JSON, command-line options, widgets' bounds and
 * the documentation derive from it.
 *
 * Threads: an experiment is a plain value owned by one thread; a job gets its own copy.
 */
#pragma once

#include "engine/ops/ns-kinds.h"

#include <glib.h>

G_BEGIN_DECLS

#define NS_MAX_VARIANTS 16

typedef enum { NS_STACK_SINGLE, NS_STACK_ENCODER_DECODER } NsStack;
typedef enum { NS_SOURCE_GAUSSIAN, NS_SOURCE_TOKENS, NS_SOURCE_TEXT } NsSource;
typedef enum { NS_POSITIONS_NONE, NS_POSITIONS_SINUSOIDAL, NS_POSITIONS_LEARNED } NsPositions;
typedef enum { NS_LOSS_CROSS_ENTROPY, NS_LOSS_UNIT_GRADIENT } NsLoss;
typedef enum { NS_TOPOLOGY_SEQUENTIAL, NS_TOPOLOGY_PARALLEL, NS_TOPOLOGY_PARALLEL_TWO_NORMS } NsTopology;
typedef enum { NS_ATTENTION_FULL, NS_ATTENTION_CAUSAL, NS_ATTENTION_UNIFORM } NsAttention;
typedef enum { NS_QK_NORM_NONE, NS_QK_NORM_FULL, NS_QK_NORM_HEAD, NS_QK_NORM_QKV_HEAD, NS_QK_NORM_COSINE } NsQkNorm;
typedef enum { NS_BRANCH_PARAMETER_NONE, NS_BRANCH_PARAMETER_SCALAR, NS_BRANCH_PARAMETER_VECTOR } NsBranchParameter;
typedef enum
{
  NS_PLACE_NONE,
  NS_PLACE_PRE,
  NS_PLACE_POST,
  NS_PLACE_SANDWICH,
  NS_PLACE_BRANCH,
  NS_PLACE_PRE_POST,
} NsPlacement;
typedef enum { NS_NORM_SCALE_NONE, NS_NORM_SCALE_LAYERNORM_SCALING } NsNormScale;
typedef enum { NS_FINAL_NORM_AUTO, NS_FINAL_NORM_ON, NS_FINAL_NORM_OFF } NsFinalNorm;
typedef enum
{
  NS_INIT_XAVIER_NORMAL,
  NS_INIT_XAVIER_UNIFORM,
  NS_INIT_LECUN_NORMAL,
  NS_INIT_KAIMING_NORMAL,
  NS_INIT_NORMAL,
  NS_INIT_SMALL,
  NS_INIT_MITCHELL,
  NS_INIT_T5,
  NS_INIT_FAIRSEQ,
} NsInitScheme;

/* A number, or a named rule: rule 0 is the number, rule r > 0 is choice r - 1 of the parameter. */
typedef struct
{
  int rule;
  double number;
} NsScale;

/* The rules of each parameter of that type. */
enum { NS_EMBED_SCALE_SQRT_D_MODEL = 1 };
enum { NS_INPUT_SCALE_T_FIXUP = 1 };
enum { NS_ATTENTION_SCALE_SQRT_D_HEAD = 1 };
enum { NS_RESIDUAL_SCALE_DEEPNORM = 1, NS_RESIDUAL_SCALE_ADMIN, NS_RESIDUAL_SCALE_ADMIN_CONSTANT };
enum { NS_BRANCH_SCALE_INVERSE_SQRT_DEPTH = 1 };
enum
{
  NS_INIT_RESIDUAL_NONE = 1,
  NS_INIT_RESIDUAL_GPT2,
  NS_INIT_RESIDUAL_DEEPNORM,
  NS_INIT_RESIDUAL_WANG,
  NS_INIT_RESIDUAL_SUB_LN,
  NS_INIT_RESIDUAL_T_FIXUP,
  NS_INIT_RESIDUAL_DS_INIT,
};

/* What a choice or a boolean holds that is null; an integer holds 0, which none that can be null allows. */
#define NS_NULL_CHOICE (-1)

typedef struct
{
  int stack; /* NsStack */
  gint64 depth, d_model, heads, d_ff, seq_len, batch, vocab;
  gint64 kv_heads; /* 0: null, as many as heads */
  gint64 d_head;   /* 0: null, d_model/heads */
} NsShape;

typedef struct
{
  int source; /* NsSource */
  double embed_std;
  NsScale embed_scale;
  int positions; /* NsPositions */
  char *text;    /* the text itself, UTF-8, or NULL; owned */
} NsData;

typedef struct
{
  gint64 seed;  /* run s of the sampling uses seed + s */
  gint64 seeds;
} NsSampling;

/* The wiring of one sub-layer. */
typedef struct
{
  int norm;            /* NsPlacement */
  gboolean residual;
  gboolean inner_norm; /* before the branch's last matrix */
} NsWiring;

typedef struct
{
  int scheme; /* NsInitScheme */
  double std;
  NsScale residual;
} NsInit;

typedef struct
{
  char *name; /* owned, never NULL or empty, unique within the experiment */
  int norm;   /* NsNormKind */
  double norm_eps;
  double dyt_alpha;
  double branch_norm_gain;
  int topology;  /* NsTopology */
  int attention; /* NsAttention */
  gboolean attention_output;
  int activation; /* NsActivation */
  gboolean bias;
  NsWiring attn, ffn;
  NsWiring cross; /* each field NS_NULL_CHOICE: as attn's */
  int qk_norm;    /* NsQkNorm */
  NsScale attention_scale;
  double post_fraction; /* NAN: null, the placements of attn and ffn hold */
  int norm_scale;       /* NsNormScale */
  NsScale residual_scale;
  NsScale branch_scale;
  int branch_parameter; /* NsBranchParameter */
  gboolean block_residual, dual_residual;
  NsScale input_scale;
  gboolean input_norm;
  int final_norm; /* NsFinalNorm */
  NsInit init;
} NsVariant;

typedef struct
{
  NsShape shape;
  NsData data;
  int loss; /* NsLoss */
  NsSampling sampling;
  GPtrArray *variants; /* NsVariant, owned; 1..NS_MAX_VARIANTS of them */
} NsExperiment;

/* ---- the parameter table ---- */

typedef enum
{
  NS_TYPE_INTEGER, /* gint64 */
  NS_TYPE_NUMBER,  /* double, finite */
  NS_TYPE_BOOLEAN, /* gboolean */
  NS_TYPE_CHOICE,  /* int, index into choices */
  NS_TYPE_SCALE,   /* NsScale: a number, or one of choices */
  NS_TYPE_STRING,  /* char *, UTF-8 */
} NsType;

typedef enum
{
  NS_SECTION_SHAPE,    /* "shape", in NsExperiment */
  NS_SECTION_DATA,     /* "data" */
  NS_SECTION_TOP,      /* at the top level of the file */
  NS_SECTION_SAMPLING, /* "sampling" */
  NS_SECTION_VARIANT,  /* in each of "variants", in NsVariant */
} NsSection;

typedef struct
{
  NsSection section;
  const char *key;   /* within its section; nested keys are dotted: "init.scheme" */
  NsType type;
  gsize offset;      /* in NsExperiment, or in NsVariant for NS_SECTION_VARIANT */
  gboolean nullable; /* JSON null is allowed: NAN for a number, NULL for a string, 0 for an integer, NS_NULL_CHOICE for
                        a choice or boolean */
  gboolean implied;  /* null stands for another key's value and is left out of files */
  double min, max;   /* what is allowed: INTEGER, NUMBER, SCALE; both ends included */
  double ui_min, ui_max, step; /* what a slider or spin button offers */
  gboolean logarithmic;        /* a slider of it is logarithmic */
  const char *const *choices;  /* NULL-terminated: CHOICE, SCALE */
  double fallback;             /* the default: number, boolean, choice index, SCALE (rule, see fallback_rule) */
  int fallback_rule;           /* SCALE */
  const char *unit;            /* "tokens", "features", … or NULL; untranslated, N_() marked */
  const char *label;           /* short, for a widget; N_() marked */
  const char *help;            /* one line; N_() marked */
} NsParam;

/* The table, *n rows; static. */
const NsParam *ns_params (gsize *n);
/* The row of "shape.depth", "loss", "post_fraction" or "attn.norm" (variant keys bare), or NULL. */
const NsParam *ns_param_find (const char *path);
/* "shape.depth" for shared keys, "attn.norm" for a variant's; static. */
const char *ns_param_get_path (const NsParam *param);
/* "from 1 to 65536", "one of none, pre, post", …: what is allowed; caller frees. */
char *ns_param_dup_allowed (const NsParam *param);

/* Typed access to a field by its row. `base` is the NsExperiment, or the NsVariant for variant keys.
 * A boolean or choice is an integer; a SCALE's number and rule go through get/set_scale. */
gint64 ns_param_get_int (const NsParam *param, gconstpointer base);
double ns_param_get_number (const NsParam *param, gconstpointer base);
NsScale ns_param_get_scale (const NsParam *param, gconstpointer base);
const char *ns_param_get_string (const NsParam *param, gconstpointer base);
/* Whether the field holds null; never when the row is not nullable. */
gboolean ns_param_is_null (const NsParam *param, gconstpointer base);
/* Setters check type and range: FALSE and an NS_EXPERIMENT_ERROR that names `where` + key, the value and
 * what is allowed; the field is then unchanged. `where` prefixes the key ("variants[1]."), may be "". */
gboolean ns_param_set_int (const NsParam *param, gpointer base, gint64 value, const char *where, GError **error);
gboolean ns_param_set_number (const NsParam *param, gpointer base, double value, const char *where, GError **error);
gboolean ns_param_set_scale (const NsParam *param, gpointer base, NsScale value, const char *where, GError **error);
gboolean ns_param_set_string (const NsParam *param, gpointer base, const char *value, const char *where,
                              GError **error);
/* From text as typed on a command line: "48", "1e-5", "on/off/true/false", "pre", "null", "deepnorm". C locale. */
gboolean ns_param_set_text (const NsParam *param, gpointer base, const char *text, const char *where, GError **error);
/* The value as text that ns_param_set_text() reads back to the same value; caller frees. */
char *ns_param_dup_text (const NsParam *param, gconstpointer base);

/* ---- experiments and variants ---- */

#define NS_EXPERIMENT_ERROR (ns_experiment_error_quark ())
GQuark ns_experiment_error_quark (void);
typedef enum
{
  NS_EXPERIMENT_ERROR_VALUE,  /* a value out of its range, of a wrong type, or impossible together */
  NS_EXPERIMENT_ERROR_MEMORY, /* beyond this machine's memory */
} NsExperimentError;

/* Every key at its default and two variants, Pre-LN and Post-LN. Never fails. */
NsExperiment *ns_experiment_new (void);
NsExperiment *ns_experiment_copy (const NsExperiment *experiment);
void ns_experiment_free (NsExperiment *experiment);
gboolean ns_experiment_equal (const NsExperiment *a, const NsExperiment *b);
static inline NsVariant *
ns_experiment_variant (const NsExperiment *experiment, guint v)
{
  return (NsVariant *) g_ptr_array_index (experiment->variants, v);
}

/* A variant at the defaults of every key; name is copied. */
NsVariant *ns_variant_new (const char *name);
NsVariant *ns_variant_copy (const NsVariant *variant);
void ns_variant_free (NsVariant *variant);

/* What a built-in variant is about, for headings. */
typedef enum
{
  NS_VARIANT_PLACEMENT, /* where the norms stand */
  NS_VARIANT_RESIDUAL,  /* how residual and branches are weighed */
  NS_VARIANT_NORM,      /* what the norm is, and of what */
  NS_VARIANT_INIT,      /* how the weights are drawn */
  NS_N_VARIANT_GROUPS,
} NsVariantGroup;

/* The built-in variants, by id: "pre", "post", "sandwich", "branch", "none", "pre-post", "deepnorm", "mix",
 * "layernorm-scaling", "parallel", …; *n of them, group by group, static. The symbols of the equations are those of
 * ns-variant-table.c. Texts with N_() are translated by the caller. */
typedef struct
{
  const char *id;
  const char *name;     /* "Pre-LN", as in the papers */
  NsVariantGroup group;
  const char *settings; /* "attn.norm=pre,ffn.norm=pre" */
  const char *equation; /* symbols only: "x ← x + F(N(x))" */
  const char *source;   /* paper, year and where to find it; "" when there is none */
  const char *sentence; /* what it is, without a full stop; N_() marked */
  const char *note;     /* where paper and code differ, what is left out; sentences, N_() marked, or NULL */
} NsBuiltinVariant;
const NsBuiltinVariant *ns_builtin_variants (gsize *n);
/* The row of an id, or NULL. */
const NsBuiltinVariant *ns_builtin_variant_find (const char *id);
/* "Norm placement"; N_() marked, static. */
const char *ns_variant_group_get_name (NsVariantGroup group);
/* "post" or "post:residual_scale=1.5,init.scheme=normal,name=My curve". NULL and error when it cannot be. */
NsVariant *ns_variant_from_text (const char *text, GError **error);

/* Whether the experiment can be run as it stands, apart from memory: each value in range (names the key, its
 * value, what is allowed), heads divide d_model, names unique, variants present, a text that fills a window, … */
gboolean ns_experiment_validate (const NsExperiment *experiment, GError **error);

/* ---- what derives from the settings (MODEL: wiring and depth-dependent constants) ---- */

typedef enum { NS_SUB_ATTN, NS_SUB_FFN, NS_SUB_CROSS, NS_N_SUBS } NsSub;

/* Where blocks stand: in the one stack, or in one of an encoder-decoder's two. */
typedef enum { NS_PART_STACK, NS_PART_ENCODER, NS_PART_DECODER } NsPart;

/* The wiring of a sub-layer; cross-attention's falls back to the attention's, field by field. */
NsWiring ns_variant_get_wiring (const NsVariant *variant, NsSub sub);

/* The placement that holds in block l = 1..depth: Post-LN or Pre-LN by post_fraction (Mix-LN, Li et al. 2024),
 * else the sub-layer's own. */
NsPlacement ns_variant_get_placement (const NsVariant *variant, NsSub sub, gint64 block, gint64 depth);
gboolean ns_placement_has_pre (NsPlacement placement);
gboolean ns_placement_has_branch (NsPlacement placement);
gboolean ns_placement_has_post (NsPlacement placement);
/* Whether a norm stands before the head: `auto` is on unless the last block ends in a post norm. With unit-gradient
 * there is no head, so never. */
gboolean ns_experiment_has_final_norm (const NsExperiment *experiment, guint variant);
/* Whether the encoder's output is normalized before the decoder reads it, by the same rule with any loss; FALSE in a
 * single stack. */
gboolean ns_experiment_has_encoder_norm (const NsExperiment *experiment, guint variant);
/* a: the residual scale, with N = M = depth in an encoder-decoder. DeepNorm (Wang et al. 2022); Admin's closed form
 * (Liu et al. 2020). */
double ns_variant_get_alpha (const NsVariant *variant, NsPart part, gint64 depth);
/* b: the branch scale. */
double ns_variant_get_branch_scale (const NsVariant *variant, gint64 depth);
/* Features of one head, and heads of keys and values (grouped-query attention, Ainslie et al. 2023). */
gint64 ns_shape_get_d_head (const NsShape *shape);
gint64 ns_shape_get_kv_heads (const NsShape *shape);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsExperiment, ns_experiment_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsVariant, ns_variant_free)

G_END_DECLS
