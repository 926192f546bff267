/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-export.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <glib/gi18n-lib.h>
#include <math.h>

#include "plot/ns-draw.h"
#include "plot/ns-export-pages.h"
#include "plot/ns-export-private.h"
#include "plot/ns-figure-text.h"
#include "plot/ns-text.h"

/* A fixed date, so that the same figure makes the same file. */
#define PDF_DATE "2026-01-01T00:00:00Z"

static cairo_status_t
append_bytes (void *closure, const unsigned char *data, unsigned int length)
{
  GByteArray *bytes = closure;

  if (length > G_MAXINT32 - bytes->len)
    return CAIRO_STATUS_NO_MEMORY;
  g_byte_array_append (bytes, data, length);
  return CAIRO_STATUS_SUCCESS;
}

gboolean
ns_export_check_size (double width, double height, double scale, GError **error)
{
  double out_width = width * scale, out_height = height * scale, bytes;

  if (!isfinite (out_width) || !isfinite (out_height) || !isfinite (width) || !isfinite (height) || scale <= 0.0
      || fmin (fmin (width, height), fmin (out_width, out_height)) < NS_EXPORT_MIN_SIDE_PX)
    {
      g_set_error (error, NS_EXPORT_ERROR, NS_EXPORT_ERROR_SIZE,
                   _("A picture of %g × %g pixels, scale %g, cannot be made: "
                     "each side needs at least %g pixels, and the scale has to be above 0."),
                   width, height, scale, NS_EXPORT_MIN_SIDE_PX);
      return FALSE;
    }
  if (fmax (out_width, out_height) > NS_EXPORT_MAX_SIDE_PX || fmax (width, height) > NS_EXPORT_MAX_SIDE_PX)
    {
      g_set_error (error, NS_EXPORT_ERROR, NS_EXPORT_ERROR_SIZE,
                   _("A picture of %g × %g pixels, scale %g, is too large: each side may have at most %d pixels."),
                   width, height, scale, NS_EXPORT_MAX_SIDE_PX);
      return FALSE;
    }
  bytes = 4.0 * ceil (out_width) * ceil (out_height);
  if (bytes > NS_EXPORT_MAX_BYTES)
    {
      g_set_error (error, NS_EXPORT_ERROR, NS_EXPORT_ERROR_SIZE,
                   _("A picture of %g × %g pixels, scale %g, would need %.0f MiB of memory: at most %d MiB are "
                     "allowed."),
                   width, height, scale, ceil (bytes / (1024.0 * 1024.0)), NS_EXPORT_MAX_BYTES / (1024 * 1024));
      return FALSE;
    }
  return TRUE;
}

/* PDF has no field for the result of the self-check; append it to the creator. */
static void
set_pdf_creator (cairo_surface_t *surface, const NsExportMetadata *metadata)
{
  g_autofree char *text = metadata->verified != NULL
                              ? g_strdup_printf ("%s; verified %s", metadata->software, metadata->verified)
                              : g_strdup (metadata->software);

  cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_CREATOR, text);
}

static void
set_pdf_metadata (cairo_surface_t *surface, const NsExportMetadata *metadata)
{
  cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_CREATE_DATE, PDF_DATE);
  cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_MOD_DATE, PDF_DATE);
  if (metadata == NULL)
    return;
  if (metadata->title != NULL)
    cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_TITLE, metadata->title);
  if (metadata->description != NULL)
    cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_SUBJECT, metadata->description);
  if (metadata->software != NULL)
    set_pdf_creator (surface, metadata);
  if (metadata->experiment != NULL)
    cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_KEYWORDS, metadata->experiment);
}

/* Round up to whole pixels, but take 1000.0000001 px, a result of centimetres times dpi, as 1000. */
static int
ceil_px (double side)
{
  return (int) ceil (side - 1e-6);
}

static cairo_surface_t *
create_surface (NsExportFormat format, const NsTheme *theme, double width, double height,
                const NsExportMetadata *metadata, GByteArray *bytes)
{
  cairo_surface_t *surface;

  switch (format)
    {
    case NS_EXPORT_SVG:
      surface = cairo_svg_surface_create_for_stream (append_bytes, bytes, width, height);
      cairo_svg_surface_set_document_unit (surface, CAIRO_SVG_UNIT_PX);
      return surface;
    case NS_EXPORT_PDF:
      surface = cairo_pdf_surface_create_for_stream (append_bytes, bytes, width * NS_PT_PER_PX, height * NS_PT_PER_PX);
      set_pdf_metadata (surface, metadata);
      return surface;
    case NS_EXPORT_PNG:
    default:
      return cairo_image_surface_create (theme->transparent ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24,
                                         ceil_px (width), ceil_px (height));
    }
}

static cairo_status_t
draw_to_surface (NsDrawFunc draw, gconstpointer data, const NsTheme *theme, NsExportFormat format, double width,
                 double height, double scale, cairo_surface_t *surface, GByteArray *bytes, NsTextRecord *record)
{
  cairo_t *cr = cairo_create (surface);
  double unit = scale * (format == NS_EXPORT_PDF ? NS_PT_PER_PX : 1.0);
  cairo_status_t status;

  record->unit = unit;
  record->svg = format == NS_EXPORT_SVG && theme->editable_text ? g_string_new (NULL) : NULL;
  ns_text_record (surface, record);
  cairo_scale (cr, unit, unit);
  if (cairo_status (cr) == CAIRO_STATUS_SUCCESS)
    draw (data, cr, theme, width, height);
  status = cairo_status (cr);
  cairo_destroy (cr);
  if (status == CAIRO_STATUS_SUCCESS && format == NS_EXPORT_PNG)
    status = cairo_surface_write_to_png_stream (surface, append_bytes, bytes);
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  /* A vector format uses some fonts only at its end. */
  ns_text_check (status);
  return status;
}

GBytes *
ns_export_drawing (NsDrawFunc draw, gconstpointer data, const NsTheme *theme, NsExportFormat format, double width,
                   double height, double scale, const NsExportMetadata *given, GError **error)
{
  g_autofree char *title = ns_export_dup_text (given != NULL ? given->title : NULL);
  g_autofree char *description = ns_export_dup_text (given != NULL ? given->description : NULL);
  g_autofree char *software = ns_export_dup_text (given != NULL ? given->software : NULL);
  g_autofree char *experiment = ns_export_dup_text (given != NULL ? given->experiment : NULL);
  g_autofree char *verified = ns_export_dup_text (given != NULL ? given->verified : NULL);
  const NsExportMetadata clean = { .title = title, .description = description, .software = software,
                                   .experiment = experiment, .verified = verified };
  const NsExportMetadata *metadata = given != NULL ? &clean : NULL;
  g_auto (NsTextRecord) record = { 0 };
  GByteArray *bytes;
  cairo_surface_t *surface;
  cairo_status_t status;

  g_return_val_if_fail (data != NULL && theme != NULL, NULL);

  if (!ns_export_check_size (width, height, scale, error))
    return NULL;

  bytes = g_byte_array_new ();
  surface = create_surface (format, theme, width * scale, height * scale, metadata, bytes);
  status = draw_to_surface (draw, data, theme, format, width, height, scale, surface, bytes, &record);
  cairo_surface_destroy (surface);
  if (status == CAIRO_STATUS_SUCCESS && format == NS_EXPORT_PDF && !ns_export_pdf_is_whole (bytes->data, bytes->len))
    status = CAIRO_STATUS_NO_MEMORY;
  if (status != CAIRO_STATUS_SUCCESS)
    {
      g_byte_array_unref (bytes);
      g_set_error (error, NS_EXPORT_ERROR, NS_EXPORT_ERROR_SURFACE,
                   _("The picture of %g × %g pixels could not be drawn: %s."), width * scale, height * scale,
                   cairo_status_to_string (status));
      return NULL;
    }

  if (theme->paper && !ns_export_check_room (&record, draw, data, theme, width, height, scale, error))
    {
      g_byte_array_unref (bytes);
      return NULL;
    }
  if (format == NS_EXPORT_PNG)
    bytes = ns_export_png_add_metadata (bytes, metadata);
  else if (format == NS_EXPORT_SVG)
    bytes = ns_export_svg_finish (bytes, metadata, record.svg != NULL ? record.svg->str : NULL);
  return g_byte_array_free_to_bytes (bytes);
}

/* ---- pages ---- */

static cairo_status_t
draw_pages (NsDrawPageFunc draw, gpointer data, guint n_pages, cairo_surface_t *surface)
{
  cairo_t *cr = cairo_create (surface);
  cairo_status_t status;

  cairo_scale (cr, NS_PT_PER_PX, NS_PT_PER_PX);
  for (guint page = 0; page < n_pages && cairo_status (cr) == CAIRO_STATUS_SUCCESS; page++)
    {
      cairo_save (cr);
      draw (data, cr, page);
      cairo_restore (cr);
      cairo_show_page (cr);
    }
  status = cairo_status (cr);
  cairo_destroy (cr);
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  ns_text_check (status);
  return status;
}

GBytes *
ns_export_pages (NsDrawPageFunc draw, gpointer data, guint n_pages, double width, double height,
                 const NsExportMetadata *given, GError **error)
{
  g_autofree char *title = ns_export_dup_text (given != NULL ? given->title : NULL);
  g_autofree char *description = ns_export_dup_text (given != NULL ? given->description : NULL);
  g_autofree char *software = ns_export_dup_text (given != NULL ? given->software : NULL);
  const NsExportMetadata metadata = { .title = title, .description = description, .software = software };
  GByteArray *bytes = g_byte_array_new ();
  cairo_surface_t *surface
      = cairo_pdf_surface_create_for_stream (append_bytes, bytes, width * NS_PT_PER_PX, height * NS_PT_PER_PX);
  cairo_status_t status;

  set_pdf_metadata (surface, &metadata);
  status = draw_pages (draw, data, n_pages, surface);
  cairo_surface_destroy (surface);
  if (status == CAIRO_STATUS_SUCCESS && !ns_export_pdf_is_whole (bytes->data, bytes->len))
    status = CAIRO_STATUS_NO_MEMORY;
  if (status == CAIRO_STATUS_SUCCESS)
    return g_byte_array_free_to_bytes (bytes);
  g_byte_array_unref (bytes);
  g_set_error (error, NS_EXPORT_ERROR, NS_EXPORT_ERROR_SURFACE, _("The pages could not be drawn: %s."),
               cairo_status_to_string (status));
  return NULL;
}

static void
draw_exported_figure (gconstpointer figure, cairo_t *cr, const NsTheme *theme, double width, double height)
{
  g_autoptr (NsLayout) layout = ns_layout_new (figure, theme, width, height);

  if (layout->is_crowded)
    ns_text_record_cut (cr, _ ("names and titles of axes"));
  ns_figure_draw_with_layout (figure, layout, cr, theme);
}

GBytes *
ns_figure_export (const NsFigure *figure, const NsTheme *theme, NsExportFormat format, double width, double height,
                  double scale, const NsExportMetadata *metadata, GError **error)
{
  NsExportMetadata given = metadata != NULL ? *metadata : (NsExportMetadata){ NULL };
  g_autofree char *words = theme->paper ? ns_figure_dup_words (figure, given.description) : NULL;

  if (words != NULL)
    given.description = words;
  return ns_export_drawing (draw_exported_figure, figure, theme, format, width, height, scale,
                            metadata != NULL ? &given : NULL, error);
}

gboolean
ns_export_format_from_path (const char *path, NsExportFormat *format, GError **error)
{
  static const char *const extensions[] = { ".png", ".svg", ".pdf" };
  static const NsExportFormat formats[] = { NS_EXPORT_PNG, NS_EXPORT_SVG, NS_EXPORT_PDF };
  g_autofree char *lower = NULL;

  g_return_val_if_fail (path != NULL && format != NULL, FALSE);

  lower = g_ascii_strdown (path, -1);
  for (guint i = 0; i < G_N_ELEMENTS (extensions); i++)
    if (g_str_has_suffix (lower, extensions[i]))
      {
        *format = formats[i];
        return TRUE;
      }
  g_set_error (error, NS_EXPORT_ERROR, NS_EXPORT_ERROR_FORMAT,
               _("“%s” does not end in .png, .svg or .pdf, so its picture format is not known."), path);
  return FALSE;
}
